import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { eventually, type OpenService } from '../open-service.ts';

/** Where a search found one of the secrets, as texts such as `base64 of marker…`. */
export const foundIn = (text: string, secrets: readonly string[]): readonly string[] =>
  secrets.flatMap(formsOf).flatMap(([name, form]) => (text.includes(form) ? [name] : []));

/** All encodings that disclose the value: plain, URL-encoded, base64 at each of its three offsets, hexadecimal. */
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

/** Every Redis key of this test with its whole content. */
export async function redisDump(service: OpenService): Promise<string> {
  const redis = new Redis(service.config.REDIS_URL ?? '');
  const found: unknown[] = [];
  // Braces are ordinary characters in a Redis pattern.
  for await (const keys of redis.scanStream({ match: `${service.config.KEYFERRY_REDIS_PREFIX}*` })) {
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
  // The key expired between the scan and the read.
  if (type === 'none') return undefined;
  throw new Error(`${key} is of type ${type}, which the search does not know`);
}

/** Every column of every row of every table, as text. Bytes appear in hexadecimal and as text. */
export async function postgresDump(service: OpenService): Promise<string> {
  const { db } = service.store;
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

export const logDump = (service: OpenService): string =>
  inspect(service.logged, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null });

/** All answers of the API; this test never reads the secret itself. */
export const replyDump = (service: OpenService): string => service.replies.map(({ text }) => text).join('\n');

/** The current position of the write-ahead log. */
export async function walPosition({ store: { db } }: OpenService): Promise<string> {
  const { rows } = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(db);
  return rows[0]?.at ?? '';
}

/** The files of the write-ahead log from that position until now: everything written meanwhile, by any transaction. */
export async function walDump(service: OpenService, from: string): Promise<string> {
  const { db } = service.store;
  const until = await walPosition(service);
  const lsn = (at: string) => sql`${at}::pg_lsn`;
  await eventually(async () => {
    const { rows } = await sql<{ done: boolean }>`select pg_current_wal_flush_lsn() >= ${lsn(until)} as done`.execute(
      db,
    );
    return rows[0]?.done === true;
  });
  const { rows } = await sql<{ first: string; last: string }>`
    select pg_walfile_name(${lsn(from)}) as first, pg_walfile_name(${lsn(until)}) as last`.execute(db);
  const { first = '', last = '' } = rows[0] ?? {};
  const folder = inject('postgresWal');
  const names = (await readdir(folder)).filter((name) => name >= first && name <= last).toSorted();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
  return files.join('');
}
