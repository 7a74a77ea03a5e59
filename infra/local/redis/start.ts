import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { Redis } from 'ioredis';
import { endChild, endOf, freePort, startChild, untilEnd } from '../child.ts';
import { serverFolder } from '../folder.ts';
import { keptPassword, newPassword } from '../password.ts';
import type { LocalServer } from '../server.ts';
import { findServer, installServer } from './program.ts';

export interface RedisOptions {
  /** Folder of the append-only file; the password is in `<dataDir>.password`. Nothing is kept without it. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Default: that of the data folder, or a new one. */
  readonly password?: string;
  /** Time limit for its first reply, in milliseconds. */
  readonly startMsMax?: number;
  /** Default: one found on PATH. */
  readonly program?: string;
  /** Lines of its configuration that replace or extend the usual ones. */
  readonly settings?: readonly string[];
}

/**
 * Starts a private Redis or Valkey on 127.0.0.1 with a generated password, as a user without rights: one found on PATH, otherwise
 * one that root installs with apt on Debian or Ubuntu, otherwise an error that says what to install.
 */
export async function startRedis(options: RedisOptions = {}): Promise<LocalServer> {
  const program = options.program ?? findServer() ?? installServer();
  const port = options.port ?? (await freePort());
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  if (dataDir !== undefined) await serverFolder(dataDir);
  const kept = async () => (dataDir === undefined ? newPassword() : await keptPassword(`${dataDir}.password`));
  const password = options.password ?? (await kept());
  const log: string[] = [];
  const child = startChild(program, ['-'], {
    cwd: dataDir ?? '/',
    input: settings(port, password, dataDir !== undefined, options.settings),
    onLine: (line) => log.push(line) > 200 && log.shift(),
  });
  const url = redisUrl(port, password);
  await untilReady(child, url, options.startMsMax ?? 30_000, log);
  return {
    url,
    port,
    pid: child.pid ?? 0,
    ended: untilEnd(child),
    stop: () => endChild(child, 'SIGTERM'),
    kill: () => endChild(child, 'SIGKILL'),
  };
}

/** The address of a Redis on this machine. */
export const redisUrl = (port: number, password: string): string => `redis://:${password}@127.0.0.1:${port}`;

/** On standard input, since all users of the machine can see arguments. */
function settings(port: number, password: string, isKept: boolean, more: readonly string[] = []): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    `requirepass ${password}`,
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
    ...(isKept ? ['appendonly yes', 'appendfsync everysec'] : ['appendonly no']),
    ...more,
    '',
  ].join('\n');
}

async function untilReady(child: ChildProcess, url: string, startMsMax: number, log: readonly string[]): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => {});
  const deadline = Date.now() + startMsMax;
  try {
    await client.connect().catch(() => {});
    for (;;) {
      const how = endOf(child);
      if (how !== undefined) throw new Error(`Redis ended at its start (${how}):\n${log.join('\n')}`);
      const answer = await client.ping().catch((cause: Error) => cause.message);
      // It replies LOADING while it reads its append-only file.
      if (answer === 'PONG') return;
      if (Date.now() > deadline)
        throw new Error(`Redis did not answer in ${startMsMax} ms (${answer}):\n${log.join('\n')}`);
      await new Promise((done) => setTimeout(done, 30));
    }
  } finally {
    client.disconnect();
  }
}
