import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

/** A user id without rights of its own: PostgreSQL refuses to run as root. */
const nobody = 65_534;

const haveSetpriv = spawnSync('setpriv', ['--version']).status === 0;

/** Whether this process is root, so that a server has to run as somebody else. */
export const isRoot = process.getuid?.() === 0;

export interface ChildOptions {
  /** Run as an unprivileged user when we are root. */
  readonly unprivileged?: boolean;
  readonly onLine?: (line: string) => void;
}

/**
 * Starts a server that ends with this process, even when this process is killed: `setpriv --pdeathsig` asks the kernel
 * for it. An unprivileged child keeps the right to pass folders that only root may enter (a checkout below /root).
 */
export function startChild(command: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const other = options.unprivileged === true && isRoot;
  const [program, all] = haveSetpriv ? ['setpriv', [...privileges(other), command, ...args]] : [command, [...args]];
  const child = spawn(program, all, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    // Ctrl-C goes to the whole group of the terminal; a server is to end after those who work on it.
    detached: true,
    ...(other && !haveSetpriv ? { uid: nobody, gid: nobody } : {}),
  });
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => options.onLine?.(line));
  }
  return child;
}

function privileges(other: boolean): readonly string[] {
  const death = ['--pdeathsig', 'SIGTERM'];
  if (!other) return death;
  const user = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  return [...death, ...user, '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override'];
}

/** Who owns the files of an unprivileged child; undefined: we do. */
export const childOwner: number | undefined = isRoot ? nobody : undefined;

/** Sends the signal and waits; after `killAfterMs` the child is killed. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals, killAfterMs = 10_000): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
}

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export const freePort = (): Promise<number> => listenShortly(0, '127.0.0.1');

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
