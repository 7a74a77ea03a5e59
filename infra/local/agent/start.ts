import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findEngines } from '#agent/engine/find.ts';
import { otherEnvironment } from '#core/config.ts';
import { boundToParent } from '../account.ts';
import { endOf, untilEnd } from '../child.ts';
import { type LocalPool, poolName, preparePool, type Server } from './pool.ts';
import { writeTokenFile } from './token-file.ts';

/** An agent of this machine, in a process of its own. */
export interface LocalAgent {
  readonly pool: LocalPool;
  /** The engines that it found, as `terraform 1.11.4`. */
  readonly engines: readonly string[];
  /** Interrupts its job and ends it. */
  stop(): Promise<void>;
}

/** Why there is no agent. */
export class NoEngine extends Error {
  constructor() {
    super('neither terraform nor tofu is on the PATH');
  }
}

/** What an engine has to write its state after its interruption, in milliseconds. */
const interruptAfterMs = 1_000;
const killAfterMs = 15_000;

/**
 * Starts an agent for the pool `local` of an organization, which is made if it does not exist. `settings` are further settings `KEYFERRY_AGENT_*`.
 *
 * @throws NoEngine, or an Error when the server refuses
 */
export async function startLocalAgent(
  server: Server,
  organization: string,
  settings: Readonly<Record<string, string | undefined>>,
): Promise<LocalAgent> {
  const engines = await findEngines(settings['KEYFERRY_AGENT_ENGINES'], process.env);
  if (engines.length === 0) throw new NoEngine();
  const pool = await preparePool(server, organization);
  const tokenFile = await writeTokenFile(pool.token);
  const child = start({
    ...otherEnvironment(),
    KEYFERRY_AGENT_NAME: poolName,
    KEYFERRY_LOG_LEVEL: 'warn',
    ...settings,
    KEYFERRY_AGENT_ADDRESS: server.address,
    KEYFERRY_AGENT_TOKEN: undefined,
    KEYFERRY_AGENT_TOKEN_FILE: tokenFile.path,
  });
  return {
    pool,
    engines: engines.map(({ program, version }) => `${program.split('/').at(-1)} ${version}`),
    async stop() {
      await end(child);
      await tokenFile.remove();
      await pool.revoke().catch(() => {});
    },
  };
}

function start(environment: NodeJS.ProcessEnv): ChildProcess {
  const command = join(import.meta.dirname, '../../commands/agent.ts');
  const { program, args } = boundToParent(process.execPath, [command]);
  // Ctrl-C goes to the whole group of the terminal; the agent ends before the server that it reports to.
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  child.on('error', () => {});
  return child;
}

/** The second signal interrupts the job in progress. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || endOf(child) !== undefined) return;
  const ended = untilEnd(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  child.kill('SIGTERM');
  await Promise.race([ended, pause(interruptAfterMs, undefined, { ref: false })]);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
