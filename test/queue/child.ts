import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

export interface EnqueueTask {
  readonly role: 'enqueue';
  readonly url: string;
  readonly prefix: string;
  readonly firstId: number;
  readonly count: number;
  readonly capacity: number;
}

/** `work`: see worker-process.ts; `hang`: takes jobs and never ends them. */
export interface ConsumeTask {
  readonly role: 'work' | 'hang';
  readonly url: string;
  readonly prefix: string;
  readonly concurrency: number;
  readonly lockMs: number;
}

export type Task = EnqueueTask | ConsumeTask;

/** Runs a task in a separate process, which ends with the test at the latest. */
export function startProcess(task: Task): ChildProcess {
  const child = fork(new URL('work/worker-process.ts', import.meta.url), [JSON.stringify(task)], { execArgv: [] });
  onTestFinished(() => endProcess(child, 'SIGKILL'));
  return child;
}

export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** The next message of a process. */
export async function answerOf(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}
