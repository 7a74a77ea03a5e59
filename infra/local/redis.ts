import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Redis } from 'ioredis';
import { endChild, freePort, isRoot, startChild } from './child.ts';

export interface LocalRedis {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
  /** SIGKILL: nothing is written any more. */
  kill(): Promise<void>;
}

export interface RedisOptions {
  /** Where the append-only file goes; absent: nothing is kept. */
  readonly dataDir?: string;
  readonly port?: number;
  readonly startMsMax?: number;
}

/**
 * Starts a private Redis or Valkey on 127.0.0.1: one found on PATH, else one installed by apt when we are root on Debian or
 * Ubuntu, else an error that says what to install.
 */
export async function startRedis(options: RedisOptions = {}): Promise<LocalRedis> {
  const program = findServer() ?? installServer();
  const port = options.port ?? (await freePort());
  if (options.dataDir !== undefined) await mkdir(options.dataDir, { recursive: true });
  const log: string[] = [];
  const child = startChild(program, settings(port, options.dataDir), {
    onLine: (line) => log.push(line) > 200 && log.shift(),
  });
  await untilReady(child, port, options.startMsMax ?? 30_000, log);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: () => endChild(child, 'SIGTERM'),
    kill: () => endChild(child, 'SIGKILL'),
  };
}

function settings(port: number, dataDir: string | undefined): string[] {
  const kept =
    dataDir === undefined
      ? ['--appendonly', 'no', '--dir', '/']
      : ['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', resolve(dataDir)];
  const fixed = ['--bind', '127.0.0.1', '--save', '', '--maxmemory-policy', 'noeviction', '--daemonize', 'no'];
  return ['--port', String(port), ...fixed, ...kept];
}

function findServer(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}

function installServer(): string {
  const haveApt = spawnSync('apt-get', ['--version']).status === 0;
  if (!isRoot || !haveApt) {
    throw new Error(
      'no Redis found: install the package redis-server or valkey-server (Debian, Ubuntu: "sudo apt-get install redis-server"), or set REDIS_URL',
    );
  }
  process.stderr.write('installing redis-server by apt-get ...\n');
  // A policy that forbids starting services: we start our own, private one.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const limits = { env, encoding: 'utf8', timeout: 300_000 } as const;
  spawnSync('apt-get', ['update'], limits);
  const done = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], limits);
  const found = findServer();
  if (done.status !== 0 || found === undefined) {
    throw new Error(`apt-get could not install redis-server:\n${done.stderr}\nInstall it by hand, or set REDIS_URL`);
  }
  return found;
}

async function untilReady(
  child: ChildProcess,
  port: number,
  startMsMax: number,
  log: readonly string[],
): Promise<void> {
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => {});
  const deadline = Date.now() + startMsMax;
  try {
    await client.connect().catch(() => {});
    for (;;) {
      if (child.exitCode !== null) throw new Error(`Redis ended at its start:\n${log.join('\n')}`);
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
