import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runningProcess } from '#infra/local/running.ts';
import { compileCache } from '../measures/compile-cache.ts';
import { patience } from '../measures/patience.ts';

/** The programs of `infra/` that tests run as they are. */
export type Program = 'serve' | 'worker' | 'sweep' | 'dev' | 'backup' | 'restore';

export interface ProcessOptions {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Root folder of the code to run; this checkout by default. */
  readonly root?: string;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Lines of standard output and standard error. */
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** A process that has printed `ready`. */
export interface Started {
  readonly pid: number;
  /** What it printed after `ready`: the API prints its address. */
  readonly ready: string;
  readonly out: readonly string[];
  readonly err: readonly string[];
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  /** Sends the signal to the whole process group, as Ctrl-C in a terminal does. */
  endGroup(signal: NodeJS.Signals): Promise<Ended>;
  /** Sends SIGKILL if the process still runs. */
  stop(): Promise<void>;
}

/** Starts a program and waits for its `ready` line. @throws Error with what it printed when it ends before, or is late */
export async function startProgram(program: Program, options: ProcessOptions = {}): Promise<Started> {
  const running = launch(program, options);
  const { child, out, err, ended } = running;
  try {
    const ready = await within(patience.conditionMs, `${program} is not ready`, Promise.race([running.ready, ended]));
    if (typeof ready !== 'string') throw new Error(`${program} ended at its start: ${outputOf(ready)}`);
    const finish = (kill: () => void) => {
      kill();
      return within(patience.conditionMs, `${program} does not end`, ended);
    };
    return {
      pid: child.pid ?? 0,
      ready,
      out,
      err,
      end: (signal) => finish(() => child.kill(signal)),
      endGroup: (signal) => finish(() => process.kill(-(child.pid ?? 0), signal)),
      stop: () => kill(child, ended),
    };
  } catch (error) {
    await kill(child, ended);
    throw error;
  }
}

/** Runs a program until it exits, or kills it as soon as `killWhen` holds. */
export async function runProgram(
  program: Program,
  options: ProcessOptions & { readonly killWhen?: () => boolean } = {},
): Promise<Ended> {
  const { child, ended } = launch(program, options);
  const looking = setInterval(() => options.killWhen?.() && child.kill('SIGKILL'), 2);
  try {
    return await within(patience.conditionMs, `${program} does not end`, ended);
  } finally {
    clearInterval(looking);
    await kill(child, ended);
  }
}

/** The child processes of `pid`, and their children. */
export function descendants(pid: number): readonly number[] {
  const pairs = allProcesses().map((own) => ({ own, parent: runningProcess(own)?.parent }));
  const below = (one: number): readonly number[] =>
    pairs.flatMap(({ own, parent }) => (parent === one ? [own, ...below(own)] : []));
  return below(pid);
}

function allProcesses(): readonly number[] {
  const shown = existsSync('/proc/self/status')
    ? readdirSync('/proc')
    : spawnSync('ps', ['-eo', 'pid='], { encoding: 'utf8' }).stdout.split('\n');
  return shown.map(Number).filter((pid) => pid > 0);
}

/** Whether a process runs. A zombie does not count. */
export const isRunning = (pid: number): boolean => (runningProcess(pid)?.command ?? '') !== '';

/** Earlier releases have their commands in `infra/` itself. */
function fileOf(root: string, program: Program): string {
  const file = join(root, 'infra', 'commands', `${program}.ts`);
  return existsSync(file) ? file : join(root, 'infra', `${program}.ts`);
}

const here = fileURLToPath(new URL('../../..', import.meta.url));

function launch(program: Program, { args = [], environment = {}, root = here }: ProcessOptions) {
  const [command, all] = bound(process.execPath, [fileOf(root, program), ...args]);
  const child = spawn(command, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...compileCache(), ...environment },
    // A process group per program, as a terminal has for each command.
    detached: true,
  });
  const [out, err]: [string[], string[]] = [[], []];
  const readyLine = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line);
    if (line.startsWith('ready')) readyLine.resolve(line.slice('ready'.length).trim());
  });
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line));
  const ended = once(child, 'close').then(
    ([code, signal]): Ended => ({ code: code ?? null, signal: signal ?? null, out, err }),
  );
  return { child, out, err, ready: readyLine.promise, ended };
}

const haveSetpriv = spawnSync('setpriv', ['--version']).status === 0;

/** Where the kernel supports it, a program is killed when its test run is killed. */
const bound = (command: string, args: readonly string[]): readonly [string, readonly string[]] =>
  haveSetpriv ? ['setpriv', ['--pdeathsig', 'SIGKILL', command, ...args]] : [command, args];

async function kill(child: ChildProcess, ended: Promise<Ended>): Promise<void> {
  child.kill('SIGKILL');
  await ended;
}

async function within<T>(msMax: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} after ${msMax} ms`)), msMax);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

const outputOf = ({ code, signal, out, err }: Ended): string => `${code ?? signal}\n${[...out, ...err].join('\n')}`;
