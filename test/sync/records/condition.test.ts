import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import { definitions } from '#destinations/index.ts';
import type { OpenStore } from '#store/open.ts';
import { recordCondition } from '#sync/records/condition.ts';
import { type GivenRecordFilter, recordFilter } from '#sync/records/filter.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from './many.ts';

let store: OpenStore;

beforeAll(async () => {
  store = await testStore();
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('other', gen_random_uuid(), 'other/', '{}')`.execute(
    store.db,
  );
  await insertDestinations(store, ['one', 'two']);
  await insertDestinations(store, ['one'], 'other');
  await insertRecords(store, [
    { destination: 'one', secret: 'app/db' },
    { destination: 'two', secret: 'app/db', mount: 'other-kv/' },
    { destination: 'two', secret: 'app', status: 'INTERNAL_ERROR', kind: 'internal' },
    { destination: 'two', secret: 'app0', status: 'PENDING', kind: 'timeout', attempts: 2, unconfirmed: true },
    { destination: 'two', secret: 'changed', status: 'PENDING', kind: 'timeout', attempts: 0 },
    { destination: 'two', secret: 'gone', status: 'UNSYNCED', desired: 'absent', unconfirmed: true },
    { destination: 'two', secret: 'app/\u{10ffff}x', status: 'UNSYNCED' },
  ]);
});
afterAll(() => store.close());

test.each<[GivenRecordFilter, readonly string[]]>([
  [{}, ['one app/db', 'two app', 'two app/db', 'two app/\u{10ffff}x', 'two app0', 'two changed']],
  [{ name: 'one' }, ['one app/db']],
  [{ type: 'repo-host' }, []],
  [{ status: ['PENDING', 'INTERNAL_ERROR'] }, ['two app', 'two app0', 'two changed']],
  [{ status: ['UNSYNCED'] }, ['two app/\u{10ffff}x']],
  [{ kind: ['timeout'] }, ['two app0']],
  [{ mount: 'kv', prefix: 'app/' }, ['one app/db', 'two app/\u{10ffff}x']],
  [{ prefix: 'app/\u{10ffff}' }, ['two app/\u{10ffff}x']],
  [{ prefix: 'app/d', name: 'two' }, ['two app/db']],
  [{ secret: 'app/db' }, ['one app/db', 'two app/db']],
  [{ unconfirmed: true }, ['two app0']],
  [{ unconfirmed: false, status: ['PENDING'] }, ['two changed']],
])('%o selects %o of its namespace', async (given, names) => {
  const condition = recordCondition(recordFilter(definitions, given), rootNamespace.id);
  const { rows } = await sql<{ name: string }>`
    select d.name || ' ' || a.secret_name as name from associations a join destinations d on d.id = a.destination_id
     where ${condition} order by d.name, a.secret_name collate "C"`.execute(store.db);
  expect(rows.map(({ name }) => name).sort()).toEqual([...names].sort());
});

test('another namespace has records of its own', async () => {
  const { rows } = await sql<{ name: string }>`
    select a.secret_name as name from associations a join destinations d on d.id = a.destination_id
     where ${recordCondition({}, 'other')}`.execute(store.db);
  expect(rows).toEqual([{ name: 'app/db' }]);
});
