import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Fault } from '../../lib/destinations/fake.ts';
import { definitions } from '../../lib/destinations/index.ts';
import type { RepoHostFake } from '../../lib/destinations/repo-host/fake.ts';
import { credentialsOf } from '../contract/stand.ts';
import { eventually, everyType, stageOf } from './stage.ts';

const stage = stageOf(everyType, {
  KEYFERRY_SYNC_ATTEMPTS_MAX: '1',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '800',
  KEYFERRY_SYNC_WAIT_MS: '0',
});

const faults: readonly Fault['kind'][] = [
  'throttle',
  'unavailable',
  'denied',
  'credentials',
  'hang',
  'reset',
  'lost-answer',
];

/** A text that is nowhere by chance, and changes when it is made part of a URL or of JSON. */
const marker = `marker-${randomBytes(12).toString('hex')}/+ "ü"`;

test('no secret value is anywhere but in the secret itself and at its destinations', async () => {
  const secrets = [marker, ...(await syncEverywhere()), stage.rootToken];
  await failEverywhere();
  await stage.ask('POST', 'secret/data/broken', undefined, { raw: `{"data":{"v":"${marker}` });
  await stage.ask('POST', 'sys/sync/destinations/repo-host/broken', { access_token: { nested: marker } });
  await stage.ask('POST', 'sys/sync/github-apps/broken', { app_id: '1', private_key: marker });

  const places = { redis: await redisDump(), postgres: await postgresDump(), log: logDump(), replies: replyDump() };
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, `${place} is empty, so nothing was searched`).toBeGreaterThan(100);
    expect(foundIn(text, secrets), place).toEqual([]);
  }
});

test('the search finds a value wherever it is, in each of its forms', async () => {
  const kept = [Buffer.from(marker).toString('base64'), Buffer.from(`{"v":"${marker}"}`).toString('hex'), marker];
  const redis = new Redis(stage.config.REDIS_URL ?? '');
  for (const [index, text] of kept.entries()) {
    await stage.store.db.insertInto('revisions').values({ name: text }).execute();
    expect(foundIn(await postgresDump(), [marker])).toHaveLength(index + 1);
    await redis.hset(`${stage.config.KEYFERRY_REDIS_PREFIX}:probe`, `field${index}`, text);
    expect(foundIn(await redisDump(), [marker])).toHaveLength(index + 1);
  }
  await redis.quit();
});

const foundIn = (text: string, secrets: readonly string[]): readonly string[] =>
  secrets.flatMap(formsOf).flatMap(([name, form]) => (text.includes(form) ? [name] : []));

/** The marker goes the whole way, as a value and as a key's value; answers the credentials that were used. */
async function syncEverywhere(): Promise<readonly string[]> {
  const host = stage.fake<RepoHostFake>('repo-host');
  await stage.ask('POST', `sys/sync/github-apps/${host.appDestination['app_name']}`, host.app);
  await stage.ask('POST', 'sys/sync/destinations/repo-host/by-app', host.appDestination);
  const used: string[] = [host.app.private_key];
  for (const definition of definitions) {
    const { destination } = stage.fake(definition.type);
    used.push(...credentialsOf(definition, destination));
    await stage.ask('POST', `sys/sync/destinations/${definition.type}/place`, destination);
  }
  await stage.ask('POST', 'secret/data/app', { data: { value: marker } });
  for (const type of everyType) await set(type, 'place');
  await set('repo-host', 'by-app');
  // There is one attempt, and a busy machine may be too slow for it.
  await eventually(async () => {
    await stage.ask('POST', 'sys/sync/replay');
    await stage.untilQuiet();
    return everyType.every(holdsMarker);
  });
  return used;
}

const holdsMarker = (type: string): boolean =>
  [...stage.fake(type).objects().values()].some(({ value }) => value.includes(marker.slice(0, 30)));

const set = (type: string, name: string) =>
  stage.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, { mount: 'secret', secret_name: 'app' });

/** Every kind of fault at every type, with a new version in which the marker is again. */
async function failEverywhere(): Promise<void> {
  for (const kind of faults) {
    for (const type of everyType) {
      stage.fake(type).fail({ kind, ...(kind === 'throttle' ? { retryAfterSeconds: 0 } : {}) });
    }
    await stage.ask('POST', 'secret/data/app', { data: { value: `${marker} ${kind}` } });
    await eventually(async () => (await pending()) === 0);
    for (const type of everyType) await stage.ask('GET', `sys/sync/destinations/${type}/place/associations`);
    await stage.ask('GET', 'sys/sync/associations/secret/app');
    for (const type of everyType) stage.fake(type).heal();
  }
  await stage.ask('POST', 'sys/sync/replay');
  await stage.untilQuiet();
}

async function pending(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from associations where generation > observed_generation`.execute(stage.store.db);
  return rows[0]?.count ?? 0;
}

/** All that tells the value: as it is, in a URL, in base64 at each of its three offsets, in hexadecimal digits. */
function formsOf(secret: string): readonly (readonly [string, string])[] {
  const bytes = Buffer.from(secret);
  const offsets = [0, 1, 2].map((skip) => bytes.subarray(skip).toString('base64').slice(0, 24));
  const start = secret.split('\n').find((line) => /^[\w+/=]{20,}$/.test(line)) ?? secret.slice(0, 30);
  const forms: (readonly [string, string])[] = [
    ['itself', start],
    ['URL', encodeURIComponent(secret).slice(0, 60)],
    ['base64', offsets[0] ?? ''],
    ['base64, one byte later', offsets[1] ?? ''],
    ['base64, two bytes later', offsets[2] ?? ''],
    ['hexadecimal digits', Buffer.from(start).toString('hex').slice(0, 40)],
  ];
  return forms
    .filter(([, form]) => form.length >= 8)
    .map(([name, form]) => [`${name} of ${secret.slice(0, 6)}…`, form]);
}

/** Every key of this test with all it holds. */
async function redisDump(): Promise<string> {
  const redis = new Redis(stage.config.REDIS_URL ?? '');
  const found: unknown[] = [];
  // Braces are plain characters in a pattern of Redis.
  for await (const keys of redis.scanStream({ match: `${stage.config.KEYFERRY_REDIS_PREFIX}*` })) {
    for (const key of keys as string[]) found.push(key, await contentsOf(redis, key));
  }
  await redis.quit();
  return JSON.stringify(found);
}

async function contentsOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'set') return redis.smembers(key);
  if (type === 'zset') return redis.zrange(key, '0', '-1');
  if (type === 'stream') return redis.xrange(key, '-', '+');
  if (type === 'string') return redis.get(key);
  // It ended between the scan and the look.
  if (type === 'none') return undefined;
  throw new Error(`${key} is of type ${type}, which the search does not know`);
}

/** Every column of every row of every table, as text; bytes as hexadecimal digits, and once more as the text they may be. */
async function postgresDump(): Promise<string> {
  const { db } = stage.store;
  const tables = await sql<{ name: string }>`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`.execute(db);
  const found: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.raw(name)}`.execute(db);
    found.push(...rows.flatMap((row) => Object.values(row).flatMap(textsOf)));
  }
  return found.join('\n');
}

function textsOf(value: unknown): readonly string[] {
  if (Buffer.isBuffer(value)) return [value.toString('hex'), value.toString('latin1'), value.toString('utf8')];
  return typeof value === 'string' ? [value] : [JSON.stringify(value) ?? ''];
}

const logDump = (): string =>
  inspect(stage.logged, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null });

/** What was answered; this test never reads the secret itself. */
const replyDump = (): string => stage.replies.map(({ text }) => text).join('\n');
