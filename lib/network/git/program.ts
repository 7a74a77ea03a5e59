import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The result of one command. */
export interface Ended {
  readonly code: number | null;
  readonly output: Buffer;
  /** The last of what it wrote to standard error. It may quote addresses. */
  readonly complaint: string;
}

export interface Running {
  readonly output: Readable;
  readonly ended: Promise<Omit<Ended, 'output'>>;
}

export interface Surroundings {
  readonly program: string;
  readonly folder: string;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const outputBytesMax = 8 * 1024 * 1024;
const complaintCharactersMax = 4_096;
/** Where programs that git starts are found: nothing is taken from the environment of this process. */
export const searchPath = '/usr/local/bin:/usr/bin:/bin';

/** Runs git and collects its output. @throws the reason of the signal; Error when the program is missing or its output too long */
export async function runGit(surroundings: Surroundings, words: readonly string[]): Promise<Ended> {
  const running = startGit(surroundings, words);
  const pieces: Buffer[] = [];
  let bytes = 0;
  const [, ended] = await Promise.all([
    (async () => {
      for await (const piece of running.output as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes <= outputBytesMax) pieces.push(piece);
      }
    })(),
    running.ended,
  ]);
  surroundings.signal.throwIfAborted();
  if (bytes > outputBytesMax) throw new Error(`git wrote more than ${outputBytesMax} bytes`);
  return { ...ended, output: Buffer.concat(pieces) };
}

/** Starts git in a process group of its own, which is killed when the signal aborts. */
export function startGit({ program, folder, environment, signal }: Surroundings, words: readonly string[]): Running {
  signal.throwIfAborted();
  const child = spawn(program, [...words], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => kill(child);
  signal.addEventListener('abort', stop, { once: true });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-complaintCharactersMax);
  });
  const ended = new Promise<Omit<Ended, 'output'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, complaint }));
  }).finally(() => {
    signal.removeEventListener('abort', stop);
    kill(child);
  });
  ended.catch(() => {});
  return { output: child.stdout, ended };
}

/** With all that it started. The group may have ended already. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}

const known = new Map<string, Promise<boolean>>();
const trialMs = 10_000;

/** Whether this machine has the program. Once found, it is not looked for again. */
export async function hasGit(program: string): Promise<boolean> {
  const found = known.get(program) ?? tryGit(program);
  known.set(program, found);
  if (!(await found)) known.delete(program);
  return found;
}

async function tryGit(program: string): Promise<boolean> {
  const signal = AbortSignal.timeout(trialMs);
  const surroundings = { program, folder: '/', environment: { PATH: searchPath }, signal };
  return runGit(surroundings, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}
