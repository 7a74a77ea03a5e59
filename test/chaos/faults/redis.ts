import { rm } from 'node:fs/promises';
import { startRedis } from '#infra/local/redis/start.ts';
import { type RedisCluster, startCluster } from '../../support/redis/cluster.ts';
import { type SentinelSet, startSentinels } from '../../support/redis/sentinels.ts';

export const redisKinds = ['server', 'cluster', 'sentinels'] as const;
export type RedisKind = (typeof redisKinds)[number];

/** A Redis that faults are injected into. It restarts where clients look for it. */
export interface ChaosRedis {
  readonly url: string;
  restart(keepData: boolean): Promise<void>;
  close(): Promise<void>;
}

export function openRedis(kind: RedisKind, dataDir: string): Promise<ChaosRedis> {
  if (kind === 'server') return openServer(dataDir);
  return kind === 'cluster' ? openCluster() : openSentinels();
}

async function openServer(dataDir: string): Promise<ChaosRedis> {
  let redis = await startRedis({ dataDir });
  return {
    url: redis.url,
    async restart(keepData) {
      await redis.kill();
      if (!keepData) await rm(dataDir, { recursive: true, force: true });
      redis = await startRedis({ dataDir, port: redis.port });
    },
    close: () => redis.kill(),
  };
}

const prefix = '{keyferry}';

/** Kills the primary, so that its replica takes over, and restarts it as a replica. Or loses the data of both. */
async function openCluster(): Promise<ChaosRedis> {
  const cluster: RedisCluster = await startCluster();
  return {
    url: cluster.url,
    async restart(keepData) {
      if (!keepData) return void (await cluster.call(prefix, 'FLUSHALL'));
      const owner = await cluster.ownerOf(prefix);
      await owner.kill();
      await cluster.ownerOf(prefix);
      await owner.start();
      await cluster.untilWell();
    },
    close: cluster.stop,
  };
}

async function openSentinels(): Promise<ChaosRedis> {
  const set: SentinelSet = await startSentinels();
  return {
    url: set.url,
    async restart(keepData) {
      const primary = await set.primary();
      if (!keepData) return void (await primary.client.flushall().catch(() => {}));
      await primary.kill();
      await set.untilPrimaryIsNot(primary);
      await primary.start();
    },
    close: set.stop,
  };
}
