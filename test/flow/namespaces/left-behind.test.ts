import { sql, type Transaction } from 'kysely';
import { expect, test } from 'vitest';
import { openTexts } from '#auth/policy/store/texts.ts';
import type { Database } from '#store/tables.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { spaceOf } from './spaces.ts';

// Requests that found their namespace before its deletion began, and write afterwards.
const service = serviceOf([]);
const at = (path: string) => `sys/namespaces/${path.replace(/\/$/, '')}`;

async function space() {
  const made = await spaceOf(service);
  const { data } = await service.ask('GET', at(made.path));
  return { ...made, id: String(data['id']) };
}

const rowsOf = async (table: string, id: string) =>
  (await sql`select 1 from ${sql.table(table)} where namespace_id = ${id}`.execute(service.store.db)).rows.length;

test('a write after the deletion has begun gets the error that the namespace does not exist', async () => {
  const { id, path } = await space();
  const policies = openTexts({ store: service.store }, 'policies')({ id, path });
  await policies.write('before', 'path "a" { policy = "read" }');
  await sql`update namespaces set deleted_at = now() where id = ${id}`.execute(service.store.db);
  const late = () => policies.write('late', 'path "a" { policy = "read" }');
  await expect(late()).rejects.toMatchObject({ kind: 'not-found', messages: ['namespace not found'] });
  expect((await service.ask('DELETE', at(path))).status).toBe(204);
  await expect(late()).rejects.toMatchObject({ kind: 'not-found' });
  expect(await rowsOf('policies', id)).toBe(0);
});

test('a deletion waits for running writes and deletes what they wrote', async () => {
  const { id, path } = await space();
  const [written, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writer = service.store.transaction(async (tx: Transaction<Database>) => {
    await sql`insert into policies (namespace_id, name, text, updated_at) values (${id}, 'late', '', now())`.execute(
      tx,
    );
    written.resolve();
    await mayCommit.promise;
  });
  await written.promise;
  const deletion = service.ask('DELETE', at(path));
  await eventually(async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%for update%'`.execute(
      service.store.db,
    );
    return rows.length > 0;
  });
  mayCommit.resolve();
  await writer;
  expect((await deletion).data).toEqual({ status: 'in-progress' });
  expect(await rowsOf('policies', id)).toBe(1);
  await eventually(async () => {
    await service.sweep();
    return (await sql`select 1 from namespaces where id = ${id}`.execute(service.store.db)).rows.length === 0;
  });
  expect(await rowsOf('policies', id)).toBe(0);
});

test('every table with rows of namespaces is fenced', async () => {
  const { rows } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c
     where c.column_name = 'namespace_id' and c.table_schema = current_schema()
       -- Its rows end after a day, whether the namespace exists or not.
       and c.table_name not in ('sync_samples', 'sync_sample_spans', 'sync_sample_sums') and not exists (
       select 1 from pg_trigger t join pg_proc p on p.oid = t.tgfoid
        where t.tgrelid = c.table_name::regclass and p.proname = 'must_be_in_namespace' and t.tgenabled = 'O')`.execute(
    service.store.db,
  );
  expect(rows).toEqual([]);
});
