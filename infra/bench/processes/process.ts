import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { tailOf } from '../measure/tail.ts';

/** A separate process, so that the measured code does not share an event loop with the measuring code. */
export interface Process<Ready> {
  readonly ready: Ready;
  /** One question at a time. */
  ask<Answer extends z.ZodType>(question: string, answer: Answer): Promise<z.output<Answer>>;
  /** Milliseconds of processor time that it has used. */
  cpuMs(): Promise<number>;
  memory(): Promise<Memory>;
  /** Collects the garbage of what it did before, which would else be part of a later figure. */
  collectGarbage(): Promise<void>;
  end(): Promise<void>;
}

/** Every process answers these. */
export const cpuQuestion = 'cpu';
export const memoryQuestion = 'memory';
export const garbageQuestion = 'garbage';
const cpuAnswer = z.object({ cpuMs: z.number() });
/** Bytes: resident, on the heap (garbage included), and of buffers outside of it. */
const memoryAnswer = z.object({ rss: z.number(), heapUsed: z.number(), arrayBuffers: z.number() });

export type Memory = z.output<typeof memoryAnswer>;

export interface ProcessOptions {
  readonly parameters?: object;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where to write a CPU profile at the end. */
  readonly profileDir?: string | undefined;
}

/** As the npm scripts and the Dockerfile start the processes of the service. */
export const production = {
  nodeOptions: ['--max-semi-space-size=16'],
  environment: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
} as const;

const startMsMax = 180_000;
const answerMsMax = 300_000;
const endMsMax = 10_000;

/** Starts a file of `processes/` and waits until it is ready. @throws Error when it ends before that, or is not ready in time */
export async function startProcess<Ready extends z.ZodType>(
  name: string,
  ready: Ready,
  { parameters = {}, environment = {}, profileDir }: ProcessOptions = {},
): Promise<Process<z.output<Ready>>> {
  const file = new URL(`./${name}.ts`, import.meta.url);
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = fork(file, [JSON.stringify(parameters)], {
    // Its log is shown only if it fails: the terminal is for the tables.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env['PATH'], ...production.environment, ...environment },
    execArgv: [...production.nodeOptions, ...profile],
  });
  const shown = { child, name, log: tailOf([child.stdout, child.stderr]) };
  try {
    const answered = ready.parse(await message(shown, startMsMax));
    const ask = async (question: string) => {
      child.send(question);
      return message(shown, answerMsMax);
    };
    return {
      ready: answered,
      ask: async (question, answer) => answer.parse(await ask(question)),
      cpuMs: async () => cpuAnswer.parse(await ask(cpuQuestion)).cpuMs,
      memory: async () => memoryAnswer.parse(await ask(memoryQuestion)),
      collectGarbage: async () => void (await ask(garbageQuestion)),
      end: () => end(child),
    };
  } catch (error) {
    await end(child);
    throw error;
  }
}

interface Child {
  readonly child: ChildProcess;
  readonly name: string;
  /** The end of what it has written. */
  readonly log: () => string;
}

/** @throws Error with the end of its log when the process ends, or does not answer in time */
async function message({ child, name, log }: Child, msMax: number): Promise<unknown> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(msMax)]);
  const died = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process ${name} ended (${String(code)})\n${log()}`);
  });
  try {
    const [answer]: unknown[] = await Promise.race([once(child, 'message', { signal }), died]);
    return answer;
  } finally {
    died.catch(() => {});
    done.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), endMsMax);
  await ended;
  clearTimeout(timer);
}
