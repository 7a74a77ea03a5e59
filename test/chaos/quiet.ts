import { setTimeout as pause } from 'node:timers/promises';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { failFastConnection } from '#queue/redis/connection.ts';
import { openClient } from '#store/postgres/connect/server-client.ts';
import { Servers } from '#store/postgres/connect/servers.ts';
import type { Call } from './client.ts';
import type { World } from './world.ts';

/** The work that is left. All counts are zero when it is quiet. */
export interface Open {
  readonly dirty: number;
  readonly inFlight: number;
  readonly failed: number;
  readonly purging: number;
  /** Associations whose destination must be checked again. */
  readonly unconfirmed: number;
  /** 1 when the sync is switched off. */
  readonly disabled: number;
  /** Operations in the pending set of the queue. */
  readonly pending: number;
  /** Jobs in BullMQ's lists. */
  readonly jobs: number;
}

const replayEveryMs = 1_500;
const lookMs = 200;

/** Replays failed work until nothing is left. Returns what is left when the time is over. */
export async function untilQuiet(world: World, call: Call, msMax: number): Promise<Open> {
  const deadline = Date.now() + msMax;
  let replayAt = 0;
  for (;;) {
    const open = await lookAround(world);
    if (Object.values(open).every((count) => count === 0) || Date.now() > deadline) return open;
    if (open.failed + open.purging > 0 && Date.now() > replayAt) {
      await call('POST', 'sys/sync/replay', {});
      replayAt = Date.now() + replayEveryMs;
    }
    await pause(lookMs);
  }
}

/** @throws Error while PostgreSQL or Redis is down */
export async function lookAround({ databaseUrl, redisUrl }: World): Promise<Open> {
  const [row] = await query<Record<'dirty' | 'in_hand' | 'failed' | 'unconfirmed' | 'purging' | 'disabled', number>>(
    databaseUrl,
    `select count(*) filter (where generation > observed_generation)::int + (select count(*)::int from markings) as dirty,
            count(*) filter (where claimed_until > now())::int as in_hand,
            count(*) filter (where status like '%ERROR')::int as failed,
            count(*) filter (where unconfirmed_at is not null)::int as unconfirmed,
            (select count(*)::int from destinations where purge_initiated_at is not null) as purging,
            (select disabled::int from sync_config) as disabled
       from associations`,
  );
  if (row === undefined) throw new Error('PostgreSQL did not answer');
  const { dirty, in_hand: inFlight, failed, unconfirmed, purging, disabled } = row;
  return { dirty, inFlight, failed, unconfirmed, purging, disabled, ...(await queueLengths(redisUrl)) };
}

async function queueLengths(redisUrl: string): Promise<Pick<Open, 'pending' | 'jobs'>> {
  const redis = failFastConnection(redisUrl, silentLog, { commandMsMax: 5_000 });
  try {
    const lengths = definitions.flatMap(({ type }) => {
      const key = (name: string) => `{keyferry}:sync-${type}:${name}`;
      return [redis.llen(key('wait')), redis.llen(key('active')), redis.zcard(key('delayed'))];
    });
    const jobs = (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
    return { pending: await redis.hlen('{keyferry}:pending'), jobs };
  } finally {
    redis.disconnect();
  }
}

/** Runs one statement on a new connection. */
export async function query<Row extends object>(databaseUrl: string, text: string): Promise<readonly Row[]> {
  const client = await openClient(new Servers({ databaseUrl }), { connectionTimeoutMillis: 10_000 });
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
