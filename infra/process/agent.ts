import { readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { runAgent } from '#agent/agent.ts';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import { usersOfRuns } from '#agent/run/users.ts';
import type { AgentSettings } from '#agent/settings.ts';
import { type Config, readConfig } from '#core/config.ts';
import { openLog } from '#core/log/open.ts';
import { Secret } from '#core/secret.ts';
import packageFile from '../../package.json' with { type: 'json' };

export interface AgentOptions {
  /** The settings `KEYFERRY_AGENT_*`, and what runs inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends once the agent could take work. */
  readonly checks?: boolean;
}

/**
 * Takes plans and applies of an agent pool and runs the engine of this machine until a signal arrives. The first signal lets the job in progress
 * end, the second interrupts it. Prints `ready agent` when it waits for work.
 *
 * @throws Error when it cannot begin
 */
export async function runAgentProcess({ environment, checks = false }: AgentOptions): Promise<void> {
  const [stopping, interruption] = [new AbortController(), new AbortController()];
  const onSignal = () => {
    if (stopping.signal.aborted) interruption.abort();
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const config = readConfig(environment);
  await runAgent({
    settings: settingsOf(config, environment),
    log: openLog(config),
    stopping: stopping.signal,
    interruption: interruption.signal,
    onReady() {
      process.stdout.write('ready agent\n');
      if (checks) stopping.abort();
    },
  });
}

function settingsOf(config: Config, environment: AgentOptions['environment']): AgentSettings {
  const { KEYFERRY_AGENT_ADDRESS: address, KEYFERRY_AGENT_USER: user } = config;
  if (address === undefined) throw new Error('KEYFERRY_AGENT_ADDRESS is required: the address of the server');
  const [uid, gid] = user?.split(':').map(Number) ?? [];
  return {
    address: address.href.replace(/\/$/, ''),
    token: tokenOf(config),
    name: config.KEYFERRY_AGENT_NAME ?? hostname(),
    version: packageFile.version,
    engines: config.KEYFERRY_AGENT_ENGINES,
    engine: config.KEYFERRY_AGENT_ENGINE,
    folder: config.KEYFERRY_AGENT_DIR ?? tmpdir(),
    healthFile: config.KEYFERRY_AGENT_HEALTH_FILE,
    user: uid === undefined || gid === undefined ? undefined : { uid, gid },
    ...(uid === undefined && process.getuid?.() === 0 ? { users: usersOfRuns } : {}),
    hiddenFiles: config.KEYFERRY_AGENT_TOKEN_FILE === undefined ? [] : [resolve(config.KEYFERRY_AGENT_TOKEN_FILE)],
    isolation: config.KEYFERRY_AGENT_ISOLATION,
    network: config.KEYFERRY_AGENT_NETWORK,
    networkAllowed: readAllowed(config.KEYFERRY_AGENT_NETWORK_ALLOWED),
    runMsMax: config.KEYFERRY_AGENT_RUN_MS_MAX,
    diskBytesMax: config.KEYFERRY_AGENT_DISK_BYTES_MAX,
    memoryBytesMax: config.KEYFERRY_AGENT_MEMORY_BYTES_MAX,
    processesMax: config.KEYFERRY_AGENT_PROCESSES_MAX,
    graceMs: config.KEYFERRY_AGENT_GRACE_MS,
    environment,
  };
}

function tokenOf({ KEYFERRY_AGENT_TOKEN: text, KEYFERRY_AGENT_TOKEN_FILE: file }: Config): Secret {
  if (text !== undefined) return new Secret(text);
  if (file !== undefined) return new Secret(readFileSync(file, 'utf8').trim());
  throw new Error('KEYFERRY_AGENT_TOKEN or KEYFERRY_AGENT_TOKEN_FILE is required: the token of an agent pool');
}
