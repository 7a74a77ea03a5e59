import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export interface Command {
  readonly words: readonly string[];
  readonly folder: string;
  readonly signal: AbortSignal;
  /** What it reads from standard input. */
  readonly input?: Buffer;
}

/** Larger outputs end the program. */
const outputBytesMax = 1024 * 1024;
/** The address space of the program in kilobytes, the part of it that its collector aims at, and its processor time. */
const memoryKilobytesMax = 4_194_304;
const heapMegabytes = 1_024;
const processorSecondsMax = 20;

const limits = `ulimit -c 0; ulimit -f 0; ulimit -t ${processorSecondsMax}; ulimit -v ${memoryKilobytesMax}; exec "$@"`;

/** The program's whole environment: it learns nothing from that of this process. */
const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  GOMAXPROCS: '1',
  GOMEMLIMIT: `${heapMegabytes}MiB`,
};

/**
 * Runs a program with limits in a process group of its own, which is killed when the signal aborts or its output is too long.
 *
 * @throws the reason of the signal; Error when the output is too long
 */
export async function runChild({ words, folder, signal, input }: Command): Promise<Ended> {
  signal.throwIfAborted();
  const child = spawn('/bin/sh', ['-c', limits, 'sh', ...words], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const stop = () => kill(child);
  signal.addEventListener('abort', stop, { once: true });
  // It may end without having read its input.
  child.stdin.on('error', () => {}).end(input);
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= outputBytesMax) pieces.push(piece);
    else stop();
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    signal.throwIfAborted();
    if (bytes > outputBytesMax) throw new Error(`opa wrote more than ${outputBytesMax} bytes`);
    return { code, output: Buffer.concat(pieces).toString() };
  } finally {
    signal.removeEventListener('abort', stop);
    kill(child);
  }
}

/** With all that it started. The group may have ended already. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
}
