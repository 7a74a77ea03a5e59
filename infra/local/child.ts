import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { asServer } from './account.ts';

export interface ChildOptions {
  /** Its working folder: the child needs no right to enter the folders above. */
  readonly cwd?: string;
  /** A folder that is passed to it as open file 3. */
  readonly folder?: string;
  /** Its standard input, which other users cannot see. */
  readonly input?: string;
  readonly onLine?: (line: string) => void;
}

/** Starts a server, or a program that makes its files, as the user of servers. It ends with this process. */
export function startChild(command: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const { program, args: all, ...user } = asServer(command, args);
  const opened = options.folder === undefined ? [] : [openSync(options.folder, constants.O_DIRECTORY)];
  const cwd = options.cwd ?? (options.folder === undefined ? undefined : '/');
  const child = spawn(program, [...all], {
    stdio: ['pipe', 'pipe', 'pipe', ...opened],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    // Ctrl-C goes to the whole group of the terminal; a server must end after the processes that use it.
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...user,
  }) as ChildProcessWithoutNullStreams;
  for (const file of opened) closeSync(file);
  // If the program ended without reading its input, that is reported elsewhere.
  child.stdin.on('error', () => {}).end(options.input);
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => options.onLine?.(line));
  }
  return child;
}

/** How a program ended, as readable text; undefined while it runs. */
export function endOf(child: ChildProcess): string | undefined {
  if (child.exitCode !== null) return `code ${child.exitCode}`;
  return child.signalCode === null ? undefined : `signal ${child.signalCode}`;
}

/** Resolves with the reason when it has ended, for whatever cause. */
export async function untilEnd(child: ChildProcess): Promise<string> {
  const how = endOf(child);
  if (how !== undefined) return how;
  await new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return endOf(child) ?? 'unknown';
}

/** Sends the signal and waits; after `killAfterMs` the child is killed. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals, killAfterMs = 10_000): Promise<void> {
  if (endOf(child) !== undefined) return;
  const ended = untilEnd(child);
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

/** Systems assign ports above these to outgoing connections (Linux from 32768 on), which could take a port that was found free. */
const [portLeast, portMost] = [10_000, 32_767];
const portTries = 100;

/** A port of 127.0.0.1 without a listener at this moment, and outside the range of outgoing connections. */
export async function freePort(): Promise<number> {
  for (let tries = 1; tries < portTries; tries += 1) {
    const found = await listenShortly(randomInt(portLeast, portMost + 1), '127.0.0.1').catch(() => undefined);
    if (found !== undefined) return found;
  }
  return listenShortly(0, '127.0.0.1');
}

/** @throws the system's error, such as EADDRINUSE, if it cannot listen on the port */
export async function mustBeFree(port: number, host: string): Promise<void> {
  await listenShortly(port, host);
}

async function listenShortly(port: number, host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
