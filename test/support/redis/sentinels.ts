import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { endChild, freePort, startChild } from '#infra/local/child.ts';
import { closedFolder, serverFolder } from '#infra/local/folder.ts';
import { newPassword } from '#infra/local/password.ts';
import { findServer } from '#infra/local/redis/program.ts';
import { type RedisNode, startNode } from './node.ts';
import { until } from './wait.ts';

/** A primary, its replica and three sentinels, which have a separate password. */
export interface SentinelSet {
  readonly url: string;
  readonly nodes: readonly RedisNode[];
  primary(): Promise<RedisNode>;
  untilPrimaryIsNot(node: RedisNode): Promise<void>;
  /** A client of one sentinel. */
  readonly sentinel: Redis;
  stop(): Promise<void>;
}

const name = 'main';
const sentinelCount = 3;

export async function startSentinels(): Promise<SentinelSet> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-sentinel-'));
  await closedFolder(folder);
  // The servers run as another user, who must be able to enter this folder.
  await chmod(folder, 0o711);
  const [password, sentinelPassword] = [newPassword(), newPassword()];
  const node = (index: number, more: readonly string[]) => {
    const settings = async () => [`masterauth ${password}`, 'repl-diskless-sync-delay 0', ...more];
    return startNode({ dataDir: join(folder, `redis-${index}`), password, settings });
  };
  const first = await node(0, []);
  const nodes = [first, await node(1, [`replicaof 127.0.0.1 ${first.port}`])];
  const started = await Promise.all(
    Array.from({ length: sentinelCount }, (_, index) =>
      startSentinel(join(folder, `sentinel-${index}`), first.port, password, sentinelPassword),
    ),
  );
  const hosts = started.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const sentinel = new Redis({ host: '127.0.0.1', port: started[0]?.port ?? 0, password: sentinelPassword });
  sentinel.on('error', () => {});
  await until(async () => {
    const ready = String(await sentinel.call('SENTINEL', 'CKQUORUM', name).catch(() => ''));
    return ready.startsWith(`OK ${sentinelCount}`) && (await repliesOf(sentinel)) > 0;
  });
  const primary = async (): Promise<RedisNode> => {
    const answer = await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name);
    const port = Array.isArray(answer) ? Number(answer[1]) : 0;
    const found = nodes.find((one) => one.port === port);
    if (found === undefined) throw new Error('the sentinels know no primary');
    return found;
  };
  return {
    url: `redis+sentinel://:${password}@${hosts}/${name}?sentinel_password=${sentinelPassword}`,
    nodes,
    sentinel,
    primary,
    untilPrimaryIsNot: (node) => until(async () => (await primary()) !== node),
    async stop() {
      sentinel.disconnect();
      await Promise.all(started.map(({ child }) => endChild(child, 'SIGKILL')));
      await Promise.all(nodes.map((one) => one.end()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function repliesOf(sentinel: Redis): Promise<number> {
  const replicas = await sentinel.call('SENTINEL', 'REPLICAS', name).catch(() => []);
  return Array.isArray(replicas) ? replicas.length : 0;
}

/** A sentinel rewrites its own configuration file. */
async function startSentinel(dir: string, primaryPort: number, password: string, sentinelPassword: string) {
  const port = await freePort();
  await mkdir(dir);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `requirepass ${sentinelPassword}`,
    `sentinel sentinel-pass ${sentinelPassword}`,
    `sentinel monitor ${name} 127.0.0.1 ${primaryPort} 2`,
    `sentinel auth-pass ${name} ${password}`,
    `sentinel down-after-milliseconds ${name} 800`,
    `sentinel failover-timeout ${name} 3000`,
  ];
  await writeFile(join(dir, 'sentinel.conf'), `${lines.join('\n')}\n`);
  await serverFolder(dir);
  const child = startChild(findServer() ?? 'redis-server', [join(dir, 'sentinel.conf'), '--sentinel'], { cwd: dir });
  return { port, child };
}
