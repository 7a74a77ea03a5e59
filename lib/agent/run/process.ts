import { type ChildProcess, spawn } from 'node:child_process';
import type { AgentSettings } from '../settings.ts';
import { bytesBelow } from './disk.ts';
import { confined } from './isolation.ts';

/** How a command ended. `reason`: why it was stopped. */
export interface Ended {
  readonly code: number | null;
  readonly reason: Stopped | undefined;
}

/** Why the agent stopped a command. */
export type Stopped = 'canceled' | 'lost' | 'time' | 'disk';

export interface Command {
  readonly words: readonly string[];
  readonly folder: string;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Gets the output, and holds it back until it resolves. */
  readonly output: (piece: Buffer) => Promise<void>;
  /** What the program says of itself; absent: as the output. */
  readonly complaints?: (piece: Buffer) => Promise<void>;
  /** The folder whose size is limited. */
  readonly limitedFolder: string;
}

export interface Limits extends Pick<AgentSettings, 'user' | 'runMsMax' | 'diskBytesMax' | 'graceMs'> {
  readonly isIsolated: boolean;
  /** Aborts with the reason `canceled` or `lost`. */
  readonly signal: AbortSignal;
}

const diskEveryMs = 2_000;

/**
 * Runs a command in a process group of its own. When it is to stop, the group is interrupted, and killed after a grace; the group is also killed
 * when the command has ended, so that no process outlives it.
 */
export async function run(command: Command, limits: Limits): Promise<Ended> {
  const [program, ...rest] = confined(command.words, limits);
  const child = spawn(program, rest, {
    cwd: command.folder,
    env: { ...command.environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(limits.user ?? {}),
  });
  const stopper = new Stopper(child, limits.graceMs);
  const timer = setTimeout(() => stopper.stop('time'), limits.runMsMax);
  const disk = setInterval(() => void checkDisk(command.limitedFolder, limits.diskBytesMax, stopper), diskEveryMs);
  const onAbort = () => stopper.stop(limits.signal.reason === 'lost' ? 'lost' : 'canceled');
  limits.signal.addEventListener('abort', onAbort, { once: true });
  if (limits.signal.aborted) onAbort();
  try {
    const [code] = await Promise.all([
      ended(child),
      read(child.stdout, command.output),
      read(child.stderr, command.complaints ?? command.output),
    ]);
    return { code, reason: stopper.reason };
  } finally {
    clearTimeout(timer);
    clearInterval(disk);
    limits.signal.removeEventListener('abort', onAbort);
    stopper.kill();
  }
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    // Processes that the command left behind may hold the output open: they are killed with its end.
    child.once('exit', (code) => {
      killGroup(child, 'SIGKILL');
      resolve(code);
    });
  });

async function read(stream: NodeJS.ReadableStream | null, output: Command['output']): Promise<void> {
  if (stream === null) return;
  // Output is read on even when it cannot be sent: the engine must not hang on a full pipe.
  for await (const piece of stream as AsyncIterable<Buffer>) await output(piece).catch(() => {});
}

async function checkDisk(folder: string, bytesMax: number, stopper: Stopper): Promise<void> {
  const bytes = await bytesBelow(folder, bytesMax).catch(() => 0);
  if (bytes > bytesMax) stopper.stop('disk');
}

class Stopper {
  reason: Stopped | undefined;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, graceMs: number) {
    this.#child = child;
    this.#graceMs = graceMs;
  }

  /** The engine stops cleanly when it is interrupted, and writes the state of what it has done. */
  stop(reason: Stopped): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    killGroup(this.#child, 'SIGINT');
    this.#timer = setTimeout(() => killGroup(this.#child, 'SIGKILL'), this.#graceMs);
  }

  kill(): void {
    clearTimeout(this.#timer);
    killGroup(this.#child, 'SIGKILL');
  }
}

/** The group may have ended already. */
function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process of the group is left.
  }
}
