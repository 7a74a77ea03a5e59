import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { asServer } from './account.ts';

export interface ChildOptions {
  /** Its working folder: it needs no right to pass the folders above. */
  readonly cwd?: string;
  /** A folder that it gets open, as its file 3. */
  readonly folder?: string;
  /** What it reads on standard input; nobody else sees that. */
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
    // Ctrl-C goes to the whole group of the terminal; a server is to end after those who work on it.
    detached: true,
    ...(cwd === undefined ? {} : { cwd }),
    ...user,
  }) as ChildProcessWithoutNullStreams;
  for (const file of opened) closeSync(file);
  // The end of a program that did not read its input is reported elsewhere.
  child.stdin.on('error', () => {}).end(options.input);
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => options.onLine?.(line));
  }
  return child;
}

/** How a program ended by itself, for people; undefined: it runs. */
export function endOf(child: ChildProcess): string | undefined {
  if (child.exitCode !== null) return `code ${child.exitCode}`;
  return child.signalCode === null ? undefined : `signal ${child.signalCode}`;
}

/** Resolves when it has ended, whoever ended it, with how. */
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

/** Systems give outgoing connections ports above these (Linux from 32768 on), which would take one that was found free. */
const [portLeast, portMost] = [10_000, 32_767];
const portTries = 100;

/** A port of 127.0.0.1 that nobody listens on at this moment, and that no outgoing connection is going to be given. */
export async function freePort(): Promise<number> {
  for (let tries = 1; tries < portTries; tries += 1) {
    const found = await listenShortly(randomInt(portLeast, portMost + 1), '127.0.0.1').catch(() => undefined);
    if (found !== undefined) return found;
  }
  return listenShortly(0, '127.0.0.1');
}

/** @throws the system's error, such as EADDRINUSE, when the port cannot be listened on */
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
