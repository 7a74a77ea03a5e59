import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { Redis } from 'ioredis';
import { endChild, endOf, freePort, startChild, untilEnd } from '../child.ts';
import { serverFolder } from '../folder.ts';
import { keptPassword, newPassword } from '../password.ts';
import type { LocalServer } from '../server.ts';
import { findServer, installServer } from './program.ts';

export interface RedisOptions {
  /** Where the append-only file goes, the password beside it in `<dataDir>.password`; absent: nothing is kept. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Absent: that of the data, or a new one. */
  readonly password?: string;
  /** Milliseconds until it must answer. */
  readonly startMsMax?: number;
  /** Absent: one found on PATH. */
  readonly program?: string;
  /** Lines of its configuration beside the usual ones, which they replace. */
  readonly settings?: readonly string[];
}

/**
 * Starts a private Redis or Valkey on 127.0.0.1 with a generated password, as a user without rights: one found on PATH, else
 * one installed by apt when we are root on Debian or Ubuntu, else an error that says what to install.
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

/** Where a Redis on this machine is reached. */
export const redisUrl = (port: number, password: string): string => `redis://:${password}@127.0.0.1:${port}`;

/** By standard input: arguments can be seen by everybody on the machine. */
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
      // While it reads its append-only file it answers LOADING.
      if (answer === 'PONG') return;
      if (Date.now() > deadline)
        throw new Error(`Redis did not answer in ${startMsMax} ms (${answer}):\n${log.join('\n')}`);
      await new Promise((done) => setTimeout(done, 30));
    }
  } finally {
    client.disconnect();
  }
}
