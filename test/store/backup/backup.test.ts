import { type FileHandle, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { dump } from '#store/backup/dump.ts';
import { FrameWriter } from '#store/backup/frames.ts';
import { restore } from '#store/backup/restore.ts';
import { migrate } from '#store/migrate.ts';
import { migrations } from '#store/migrations/index.ts';
import { openStore } from '#store/open.ts';
import { poolDialect } from '#store/postgres/pool/driver.ts';
import { openPool } from '#store/postgres/pool/pool.ts';
import { Reachability } from '#store/postgres/reachability.ts';
import { emptyDatabase, ending, testDatabase } from '../../support/services.ts';
import { contentOf, schemaOf } from '../schema.ts';
import { storeOptions } from '../stores.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = () => {
  files += 1;
  return join(folder, `${files}.backup`);
};

async function dumpTo(path: string, databaseUrl: string, around: (file: FileHandle) => FileHandle = (file) => file) {
  const file = await open(path, 'wx', 0o600);
  return dump({ databaseUrl }, around(file), () => {}).finally(() => file.close());
}

async function restoreFrom(path: string, databaseUrl: string, force = false) {
  const file = await open(path, 'r');
  const parts = { database: { databaseUrl }, file, force, log: silentLog, onTable: () => {} };
  return restore(parts).finally(() => file.close());
}

async function newStore() {
  const databaseUrl = await testDatabase();
  const store = ending(await openStore(storeOptions(databaseUrl)));
  const { shares } = await store.seal.init({ shares: 1, threshold: 1 }, async () => undefined);
  return { databaseUrl, store, key: shares[0]?.toString('hex') ?? '' };
}

/** A database with the schema of some release, or without one. */
function schemaless(databaseUrl: string): Kysely<object> {
  const pool = openPool(storeOptions(databaseUrl, { poolSize: 2 }));
  return new Kysely<object>({ dialect: poolDialect(pool, new Reachability(systemClock)) });
}

const insertMount = (path: string) => sql`
  with made as (
    insert into mounts (path, type, accessor, description, options, config, local, seal_wrap)
    values (${path}, 'kv', ${path}, 'a tab\tand a line\nand \\N', null, '{}', false, false) returning id)
  insert into kv_mounts (mount_id, max_versions, cas_required, delete_version_after) select id, 0, false, 0 from made`;

test('a restore brings everything back unchanged, and the key shares open it', async () => {
  const { databaseUrl, store, key } = await newStore();
  await insertMount('one/').execute(store.db);
  const path = newPath();
  const { rows, header } = await dumpTo(path, databaseUrl);
  expect(rows).toMatchObject({ mounts: 1, kv_mounts: 1, seal: 1 });
  expect(header).toMatchObject({
    clusterId: store.seal.status().clusterId,
    migrations: migrations.map(({ name }) => name),
  });
  const target = await emptyDatabase();
  await restoreFrom(path, target);
  expect(await contentOf(target)).toEqual(await contentOf(databaseUrl));
  const restored = ending(await openStore(storeOptions(target)));
  expect(await restored.seal.unseal(key)).toMatchObject({ state: 'ready' });
});

test('a backup is of one instant, whatever is written meanwhile', async () => {
  const { databaseUrl, store } = await newStore();
  const path = newPath();
  let written = 0;
  const around = (file: FileHandle) =>
    new Proxy(file, {
      get: (_target, member) => {
        if (member !== 'writev') return Reflect.get(file, member).bind(file);
        return async (pieces: Buffer[]) => {
          written += 1;
          await insertMount(`m${written}/`).execute(store.db);
          return file.writev(pieces);
        };
      },
    });
  const { rows } = await dumpTo(path, databaseUrl, around);
  expect(written).toBeGreaterThan(20);
  // The snapshot is taken by the first query, before the first frame is written.
  expect(rows).toMatchObject({ mounts: 0, kv_mounts: 0 });
  const target = await emptyDatabase();
  await restoreFrom(path, target);
});

test('numbers that were used are not used again', async () => {
  const { databaseUrl, store } = await newStore();
  const insert = (name: string) => sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('t', ${name}, '', 'secret-path', '{}', '{}', false, now()) returning id`;
  for (const name of ['a', 'b', 'c']) await insert(name).execute(store.db);
  await sql`delete from destinations`.execute(store.db);
  const path = newPath();
  await dumpTo(path, databaseUrl);
  const target = await emptyDatabase();
  await restoreFrom(path, target);
  const restored = ending(await openStore(storeOptions(target)));
  expect((await insert('d').execute(restored.db)).rows).toEqual([{ id: '4' }]);
});

test('a backup of an earlier release is migrated to the schema of this one', async () => {
  const databaseUrl = await emptyDatabase();
  const db = schemaless(databaseUrl);
  await migrate(db, migrations.slice(0, 6));
  await insertMount('old/').execute(db);
  await db.destroy();
  const path = newPath();
  await dumpTo(path, databaseUrl);
  const target = await emptyDatabase();
  await restoreFrom(path, target);
  const { db: restored } = ending(await openStore(storeOptions(target)));
  expect(await restored.selectFrom('mounts').select('path').execute()).toEqual([{ path: 'old/' }]);
  expect(await restored.selectFrom('key_attempts').selectAll().execute()).toEqual([]);
});

/** What releases from 0010 to 0022 did when the first namespace was made. */
const formerDrops = `
  alter table mounts drop constraint mounts_path_key;
  alter table destinations drop constraint destinations_type_name_key;
  alter table repo_host_apps drop constraint repo_host_apps_pkey`;

test('a backup of an earlier release may have one name in two namespaces, if that release had dropped its keys', async () => {
  const databaseUrl = await emptyDatabase();
  const db = schemaless(databaseUrl);
  await migrate(
    db,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.startsWith('0023')),
    ),
  );
  await sql.raw(formerDrops).execute(db);
  await sql`insert into namespaces (id, path, custom_metadata) values ('n1', 'one/', '{}')`.execute(db);
  for (const namespace of ['root', 'n1']) {
    await sql`
      insert into mounts (path, type, accessor, description, config, local, seal_wrap, namespace_id)
      values ('same/', 'kv', ${namespace}, '', '{}', false, false, ${namespace})`.execute(db);
    await sql`
      insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at, namespace_id)
      values ('t', 'same', '', 'secret-path', '{}', '{}', false, now(), ${namespace})`.execute(db);
    await sql`
      insert into repo_host_apps (name, app_id, private_key, fingerprint, namespace_id)
      values ('same', '1', '', '', ${namespace})`.execute(db);
  }
  await db.destroy();
  const path = newPath();
  await dumpTo(path, databaseUrl);
  const target = await emptyDatabase();
  await restoreFrom(path, target);
  const { db: restored } = ending(await openStore(storeOptions(target)));
  for (const table of ['mounts', 'destinations', 'repo_host_apps'] as const)
    expect(await restored.selectFrom(table).select('namespace_id').orderBy('namespace_id').execute()).toEqual([
      { namespace_id: 'n1' },
      { namespace_id: 'root' },
    ]);
  expect(await schemaOf(target)).toEqual(await schemaOf(await testDatabase()));
});

test('a backup of a newer release is refused', async () => {
  const path = newPath();
  const file = await open(path, 'wx');
  const writer = new FrameWriter(file);
  const names = [...migrations.map(({ name }) => name), '9999-of-tomorrow'];
  const createdAt = new Date().toISOString();
  await writer.writeJson('H', { format: 'keyferry-backup', version: 1, createdAt, migrations: names });
  await writer.writeJson('E', { rows: {} });
  await writer.finish();
  await file.close();
  await expect(restoreFrom(path, await emptyDatabase())).rejects.toThrow(/9999-of-tomorrow.*or a newer one/);
});

const altered = (content: Buffer, at: number): Buffer => {
  const copy = Buffer.from(content);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

test('a file that is truncated, altered or not a backup is refused before anything is changed', async () => {
  const { databaseUrl } = await newStore();
  const path = newPath();
  const { bytes } = await dumpTo(path, databaseUrl);
  const content = await readFile(path);
  const before = await contentOf(databaseUrl);
  const changed = altered(content, bytes - 60);
  for (const wrong of [
    content.subarray(0, bytes),
    Buffer.concat([content, Buffer.of(0)]),
    Buffer.concat([content, content]),
    altered(content, 3),
    altered(content, 7),
    content.subarray(0, 40),
    changed,
    Buffer.from('PGDMP'),
    Buffer.alloc(0),
  ]) {
    await writeFile(path, wrong);
    await expect(restoreFrom(path, databaseUrl, true)).rejects.toThrow(/damaged or incomplete/);
  }
  expect(await contentOf(databaseUrl)).toEqual(before);
  await truncate(path);
});

test('a file whose rows do not match the counts of its closing record is refused before anything is changed', async () => {
  const { databaseUrl } = await newStore();
  const path = newPath();
  const file = await open(path, 'wx');
  const writer = new FrameWriter(file);
  const names = migrations.map(({ name }) => name);
  const createdAt = new Date().toISOString();
  await writer.writeJson('H', { format: 'keyferry-backup', version: 1, createdAt, migrations: names });
  await writer.writeJson('T', { name: 'settings', columns: ['name', 'value'], identities: [] });
  await writer.write('D', Buffer.from('a\\nb\t1\n'));
  await writer.writeJson('E', { rows: { settings: 2 } });
  await writer.finish();
  await file.close();
  const before = await contentOf(databaseUrl);
  await expect(restoreFrom(path, databaseUrl, true)).rejects.toThrow(
    'has another number of rows of the table settings',
  );
  expect(await contentOf(databaseUrl)).toEqual(before);
});

test('a restore needs an empty database, or the permission to replace the store', async () => {
  const { databaseUrl } = await newStore();
  const path = newPath();
  await dumpTo(path, databaseUrl);
  await expect(restoreFrom(path, databaseUrl)).rejects.toThrow(/already has a store/);
  const uninitialised = await emptyDatabase();
  await (await openStore(storeOptions(uninitialised))).close();
  await restoreFrom(path, uninitialised);
  const foreign = await emptyDatabase();
  const client = new pg.Client({ connectionString: foreign });
  await client.connect();
  await client.query('create table orders (id integer)');
  await expect(restoreFrom(path, foreign, true)).rejects.toThrow(/do not belong to this service, such as orders/);
  await expect(dumpTo(newPath(), foreign)).rejects.toThrow(/holds no data of this service/);
  expect((await client.query('select * from orders')).rows).toEqual([]);
  await client.end();
});

test('an interrupted restore can be run again', async () => {
  const { databaseUrl } = await newStore();
  const path = newPath();
  await dumpTo(path, databaseUrl);
  const target = await emptyDatabase();
  const file = await open(path, 'r');
  const onTable = () => {
    throw new Error('cut off');
  };
  const parts = { database: { databaseUrl: target }, file, force: false, log: silentLog, onTable };
  await expect(restore(parts)).rejects.toThrow('cut off');
  await file.close();
  await restoreFrom(path, target);
  expect(await contentOf(target)).toEqual(await contentOf(databaseUrl));
});
