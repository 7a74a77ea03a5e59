import type { Redis } from 'ioredis';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { failFastConnection } from '#queue/redis/connection.ts';
import { openClient } from '#store/postgres/connect/server-client.ts';
import { Servers } from '#store/postgres/connect/servers.ts';

export interface World {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Prefix of the keys in Redis. */
  readonly prefix?: string;
}

/** The number of lines per list. */
const shownMax = 20;

/**
 * Describes the remaining work of the store and the queue in lines, to explain a run that makes no progress. The lines hold names and
 * times, never a value. A server that is down is reported.
 */
export async function whatIsKnown(world: World): Promise<readonly string[]> {
  const away = (which: string) => (cause: unknown) => [`${which} does not answer: ${String(cause).slice(0, 200)}`];
  const [store, queue] = await Promise.all([
    ofStore(world).catch(away('PostgreSQL')),
    ofQueue(world).catch(away('Redis')),
  ]);
  return [...store, ...queue];
}

const open = `
  select id, type, destination_id, generation, observed_generation as observed, status, attempts, error ->> 'kind' as error,
         round(extract(epoch from claimed_until - now())::numeric, 1)::float8 as claimed_for_s,
         round(extract(epoch from next_attempt_at - now())::numeric, 1)::float8 as next_in_s
    from associations where generation > observed_generation or claimed_until > now() order by dirty_since limit ${shownMax}`;
const waits = `
  select pid, state, wait_event_type, wait_event, left(query, 120) as query, round(extract(epoch from now() - xact_start))::int as s
    from pg_stat_activity
   where datname = current_database() and xact_start < now() - interval '1 second' limit ${shownMax}`;

async function ofStore({ databaseUrl }: World): Promise<readonly string[]> {
  const limits = { connectionTimeoutMillis: 3_000, query_timeout: 5_000 };
  const client = await openClient(new Servers({ databaseUrl }), limits);
  try {
    const lines = async (what: string, text: string) =>
      (await client.query(text)).rows.map((row) => `${what} ${JSON.stringify(row)}`);
    return [
      ...(await lines('configuration', 'select * from sync_config')),
      ...(await lines('open association', open)),
      ...(await lines('long statement', waits)),
    ];
  } finally {
    await client.end();
  }
}

async function ofQueue({ redisUrl, prefix = '{keyferry}' }: World): Promise<readonly string[]> {
  const redis = failFastConnection(redisUrl, silentLog, { commandMsMax: 5_000 });
  try {
    const [seconds = '0'] = await redis.time();
    const now = Number(seconds) * 1_000;
    const pending = Object.entries(await redis.hgetall(`${prefix}:pending`));
    const types = await Promise.all(definitions.map(({ type }) => ofType(redis, `${prefix}:sync-${type}:`, type, now)));
    return [
      `paused: ${JSON.stringify(await redis.smembers(`${prefix}:paused`))}`,
      `pending: ${pending.length} ${JSON.stringify(pending.slice(0, shownMax))}`,
      ...(await gatesOf(redis, prefix, now)),
      ...types.flat(),
    ];
  } finally {
    redis.disconnect();
  }
}

/** Times are shown as seconds from now. */
const fromNow = (time: number | string, now: number): string => `${((Number(time) - now) / 1_000).toFixed(1)} s`;

async function gatesOf(redis: Redis, prefix: string, now: number): Promise<readonly string[]> {
  const keys = await keysLike(redis, `${prefix}:gate:*`);
  return Promise.all(
    keys.slice(0, shownMax).map(async (key) => {
      const passes = await redis.zrange(key.replace(':gate:', ':passes:'), '0', '-1', 'WITHSCORES');
      const fields = Object.entries(await redis.hgetall(key)).map(([name, value]) =>
        ['s', 'c', 'e', 'q'].includes(name) ? `${name} ${fromNow(value, now)}` : `${name} ${value}`,
      );
      const ends = passes.filter((_, index) => index % 2 === 1).map((end) => fromNow(end, now));
      return `gate ${key}: ${fields.join(', ')}; passes until: ${ends.join(', ')}`;
    }),
  );
}

async function ofType(redis: Redis, jobs: string, type: string, now: number): Promise<readonly string[]> {
  const [waiting, active, delayed, meta] = await Promise.all([
    redis.lrange(`${jobs}wait`, 0, -1),
    redis.lrange(`${jobs}active`, 0, -1),
    redis.zrange(`${jobs}delayed`, '0', '-1', 'WITHSCORES'),
    redis.hgetall(`${jobs}meta`),
  ]);
  if (waiting.length + active.length + delayed.length === 0) return [];
  const due = delayed.filter((_, index) => index % 2 === 1).map((score) => fromNow(Number(score) / 0x1000, now));
  const locks = await Promise.all(active.slice(0, shownMax).map((job) => redis.pttl(`${jobs}${job}:lock`)));
  const marker = await redis.zrange(`${jobs}marker`, '0', '-1', 'WITHSCORES');
  return [
    `${type}: ${waiting.length} waiting, ${active.length} active (locks for ${locks.join(', ')} ms), ${due.length} delayed until ${due.slice(0, shownMax).join(', ')}`,
    `${type}: marker ${JSON.stringify(marker)}, meta ${JSON.stringify(meta)}`,
  ];
}

async function keysLike(redis: Redis, pattern: string): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    found.push(...keys);
    cursor = next;
  } while (cursor !== '0' && found.length < 1_000);
  return found;
}
