import { Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { isMigrated, migrate } from '#store/migrate.ts';
import { buildIndex } from '#store/migrations/concurrent-index.ts';
import { type Migration, migrations } from '#store/migrations/index.ts';
import { openStore } from '#store/open.ts';
import { poolDialect } from '#store/postgres/pool/driver.ts';
import { openPool } from '#store/postgres/pool/pool.ts';
import { Reachability } from '#store/postgres/reachability.ts';
import type { Database } from '#store/tables.ts';
import { emptyDatabase, ending } from '../support/services.ts';
import { storeOptions } from './stores.ts';

function connect(databaseUrl: string): Kysely<Database> {
  const dialect = poolDialect(openPool(storeOptions(databaseUrl)), new Reachability(systemClock));
  const db = new Kysely<Database>({ dialect });
  ending({ stop: () => db.destroy() });
  return db;
}

const step = (name: string, statement: string): Migration => ({
  name,
  up: async (tx) => {
    await sql.raw(statement).execute(tx);
  },
});

test('migrating twice runs each step once', async () => {
  const db = connect(await emptyDatabase());
  expect(await isMigrated(db)).toBe(false);
  await migrate(db);
  await migrate(db);
  expect(await isMigrated(db)).toBe(true);
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db);
  expect(rows.map((row) => row.name)).toEqual(migrations.map((migration) => migration.name));
});

test('many processes may start on an empty database at once', async () => {
  const url = await emptyDatabase();
  const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(storeOptions(url))));
  for (const store of stores) {
    ending(store);
    expect(store.seal.state()).toBe('uninitialised');
  }
});

test('a step that fails leaves nothing behind, and the steps before it stay', async () => {
  const db = connect(await emptyDatabase());
  const one = step('0001', 'create table one (id integer)');
  const broken = step('0002', 'create table two (id integer); select 1 / 0');
  await expect(migrate(db, [one, broken])).rejects.toThrow(
    /^the migration "0002" failed on PostgreSQL \d+\.\d+.*: division by zero$/,
  );
  const { rows } =
    await sql`select to_regclass('one') is not null as one, to_regclass('two') is not null as two`.execute(db);
  expect(rows).toEqual([{ one: true, two: false }]);
  await migrate(db, [one, step('0002', 'create table two (id integer)')]);
  expect(await isMigrated(db, [one, broken])).toBe(true);
});

test('a database of a newer release is refused with the name of the unknown step', async () => {
  const url = await emptyDatabase();
  const db = connect(url);
  await migrate(db, [...migrations, step('9999-later', 'select 1')]);
  await expect(openStore(storeOptions(url))).rejects.toThrow(/"9999-later".*newer release/);
  await expect(migrate(db)).rejects.toThrow(/newer release/);
});

test('a server that is too old is refused in one line, and nothing is created', async () => {
  const url = await emptyDatabase();
  const db = connect(url);
  // A function of the database itself takes precedence over the built-in one.
  await sql
    .raw(`
    create function current_setting(text) returns text language sql as $$ select '14.12 (Debian 14.12-1)'::text $$;
    alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`)
    .execute(db);
  await expect(openStore(storeOptions(url))).rejects.toThrow(/^PostgreSQL 14\.12 .* is too old: use 15 or later, .*$/);
  const { rows } = await sql`select 1 from pg_tables where schemaname = 'public'`.execute(db);
  expect(rows).toEqual([]);
});

test('columns return what their types say: text ids, numeric counters, nulls and documents', async () => {
  const store = ending(await openStore(storeOptions(await emptyDatabase())));
  const mount = await store.db
    .insertInto('mounts')
    .values({
      path: 'kv/',
      type: 'kv',
      accessor: 'kv_1',
      description: '',
      options: 'null',
      config: '{"a":1}',
      local: false,
      seal_wrap: false,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  expect(mount).toMatchObject({ options: null, config: { a: 1 }, created_at: expect.any(Date) });
  const destination = await store.db
    .insertInto('destinations')
    .values({
      type: 'fake',
      name: 'd',
      connection: Buffer.of(1),
      granularity: 'secret-path',
      template: null,
      custom_tags: '{}',
      network: '{}',
      adopt: false,
      updated_at: new Date(),
      purge_initiated_at: null,
      purge_error: null,
    })
    .returning(['id', 'revision', 'connection'])
    .executeTakeFirstOrThrow();
  expect(destination).toEqual({ id: '1', revision: 1, connection: Buffer.of(1) });
});

/** Builds an index under the name that an interrupted build has taken in some tests. */
const indexStep = (name: string): Migration => ({
  name,
  outsideTransaction: true,
  up: (db) => buildIndex(db, { name: 'numbers_once', on: 'numbers (number)' }),
});

describe('a step outside a transaction', () => {
  const numbers = step('0001', 'create table numbers (number integer); insert into numbers values (1), (1)');

  test('runs once when many processes start at the same time', async () => {
    const url = await emptyDatabase();
    let runs = 0;
    const counted: Migration = {
      name: '0002',
      outsideTransaction: true,
      async up(db) {
        runs += 1;
        await buildIndex(db, { name: 'numbers_once', on: 'numbers (number)' });
      },
    };
    await Promise.all(Array.from({ length: 6 }, () => migrate(connect(url), [numbers, counted])));
    expect(runs).toBe(1);
  });

  test('drops and rebuilds what an interrupted build has left behind', async () => {
    const db = connect(await emptyDatabase());
    await migrate(db, [numbers]);
    await expect(sql`create unique index concurrently numbers_once on numbers (number)`.execute(db)).rejects.toThrow(
      'could not create unique index',
    );
    expect(await validity(db)).toEqual([false]);
    await migrate(db, [numbers, indexStep('0002')]);
    expect(await validity(db)).toEqual([true]);
    expect(await isMigrated(db, [numbers, indexStep('0002')])).toBe(true);
  });

  test('that fails is not recorded as done, and the lock is released', async () => {
    const db = connect(await emptyDatabase());
    const broken: Migration = { ...step('0002', 'vacuum nothing_there'), outsideTransaction: true };
    await expect(migrate(db, [numbers, broken])).rejects.toThrow('does not exist');
    expect(await isMigrated(db, [numbers])).toBe(true);
    await migrate(db, [numbers, indexStep('0002')]);
    expect(await validity(db)).toEqual([true]);
  });

  test('blocks no writer, and waits for one that began before it', async () => {
    const db = connect(await emptyDatabase());
    await migrate(db, [numbers]);
    let migrated: Promise<void> | undefined;
    await db.transaction().execute(async (tx) => {
      await sql`insert into numbers values (2)`.execute(tx);
      migrated = migrate(db, [numbers, indexStep('0002')]);
      await untilBuilding(db);
      await sql`insert into numbers values (3)`.execute(db);
      expect(await validity(db)).toEqual([false]);
    });
    await migrated;
    expect(await validity(db)).toEqual([true]);
  });
});

test('a change of a table yields to its users while one of them takes long', async () => {
  const db = connect(await emptyDatabase());
  const before = migrations.findIndex(({ name }) => name === '0023-former-keys');
  await migrate(db, migrations.slice(0, before));
  const read = (tx: Kysely<Database>) => tx.selectFrom('mounts').select('path').execute();
  let migrated: Promise<void> | undefined;
  await db.transaction().execute(async (tx) => {
    await read(tx);
    migrated = migrate(db);
    for (let looks = 0; looks < 3; looks += 1) {
      await expect.poll(() => isWaitedFor(db, 'mounts')).toBe(true);
      expect(await read(db)).toEqual([]);
    }
  });
  await migrated;
  expect(await isMigrated(db)).toBe(true);
});

/** Whether a session waits for a lock of a table. */
async function isWaitedFor(db: Kysely<Database>, table: string): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select 1 from pg_locks where relation = ${table}::regclass and not granted) as waits`.execute(db);
  return rows[0]?.waits === true;
}

async function validity(db: Kysely<Database>): Promise<readonly boolean[]> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass('numbers_once')`.execute(db);
  return rows.map(({ valid }) => valid);
}

async function untilBuilding(db: Kysely<Database>): Promise<void> {
  for (let look = 0; look < 1_000 && (await validity(db)).length === 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('sealed values are stored without compression', async () => {
  const db = connect(await emptyDatabase());
  await migrate(db);
  const { rows } = await sql<{ column: string }>`
    select format('%s.%s', attrelid::regclass, attname) as column from pg_attribute
     where attstorage = 'e' and atttypid = 'bytea'::regtype and attrelid::regclass::text !~ '^pg_'`.execute(db);
  expect(rows.map(({ column }) => column)).toEqual(
    expect.arrayContaining([
      'kv_secrets.custom_metadata',
      'kv_versions.data',
      'destinations.connection',
      'repo_host_apps.private_key',
      'ws_blob_chunks.data',
    ]),
  );
});

test('the indexes of the sync exist and are valid, and no other includes a column that every claim changes', async () => {
  const db = connect(await emptyDatabase());
  await migrate(db);
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('associations'::regclass, 'destinations'::regclass) and indisvalid`.execute(db);
  const names = rows.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['associations_failed', 'associations_dirty', 'destinations_purging']));
  for (const { definition } of rows) expect(definition).not.toMatch(/claimed_|next_attempt/);
});
