import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { patience } from '../../support/measures/patience.ts';
import type { WorkspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, standIn } from '../agent-of.ts';

interface Options {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What starts the program of the agent. */
  readonly before?: readonly string[];
}

/** A pool with a workspace whose agents are processes. The agent of the stage only makes the pool, and stops before it works. */
export async function poolOfProcesses(ground: WorkspaceGround) {
  const stage = await agentOf(ground);
  stage.stopping.abort();
  await stage.running;
  const folder = await mkdtemp(join(tmpdir(), 'agent-process-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // Runs of an agent of root have another user.
  await chmod(folder, 0o711);
  await chmod(stage.signs, 0o777);
  /** Starts the program of an agent; it is killed with the test. */
  const startAgent = ({ environment = {}, before = [] }: Options = {}): ChildProcess => {
    const [program = '', ...words] = [...before, process.execPath, 'infra/commands/agent.ts'];
    const child = spawn(program, words, {
      env: {
        PATH: `${standIn}:/usr/bin:/bin`,
        KEYFERRY_AGENT_ADDRESS: ground.service.address,
        KEYFERRY_AGENT_TOKEN: stage.token,
        KEYFERRY_AGENT_DIR: folder,
        KEYFERRY_LOG_LEVEL: 'error',
        TF_PLUGIN_CACHE_DIR: stage.signs,
        ...environment,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => endedBy(child, 'SIGKILL'));
    return child;
  };
  return { ...stage, folder, startAgent };
}

/** Sends a signal to a process, and waits for its end. */
export async function endedBy(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
}

/** Waits until something holds. */
export async function holds(condition: () => boolean | Promise<boolean>, what = 'the condition'): Promise<void> {
  const end = performance.now() + patience.conditionMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} does not hold`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
