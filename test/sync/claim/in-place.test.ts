import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { claimStatement } from '#sync/claim/claim-statement.ts';
import { cleanFinishStatement } from '#sync/claim/finish.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const all = 2_000;
const fingerprint = `\\x${'ff'.repeat(32)}`;

beforeAll(async () => {
  store = await testStore();
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now())`.execute(store.db);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, generation, observed_generation, status, records, updated_at, dirty_since)
    select d.id, 'cloud-a-sm', gen_random_uuid(), 'kv/', 'kv_1', 'secret-' || n, 'secret-path', '{{ .SecretBaseName }}', false,
           'present', 2, 1, 'PENDING', '[]', now(), now()
      from generate_series(1, ${all}::int) n cross join destinations d`.execute(store.db);
  await sql`
    insert into sync_objects (association_id, destination_id, sub_key, external_name, name_key, mark, intended_at, written_at,
                              remote_version, fingerprint, tag_keys)
    select id, destination_id, '', 'name-' || id, 'name-' || id, md5(id::text), now(), now(), gen_random_uuid(),
           ${fingerprint}::bytea, '{}' from associations`.execute(store.db);
});
afterAll(() => store.close());

test('a claim and a push write their rows in place', async () => {
  await store.db.transaction().execute(async (tx) => {
    const inPlace = async (table: string) => {
      const { rows } = await sql<{ updated: number; inPlace: number }>`
        select pg_stat_get_xact_tuples_updated(${table}::regclass)::int as updated,
               pg_stat_get_xact_tuples_hot_updated(${table}::regclass)::int as "inPlace"`.execute(tx);
      return rows[0];
    };
    // Spread over the pages, like the secrets that change in an hour.
    const { rows } = await sql<{ id: string }>`
      select id::text as id from associations where id % 40 = 0 order by id limit 40`.execute(tx);
    const ids = rows.map(({ id }) => id);
    const claimed = await claimStatement(ids, 't', { leaseMs: 60_000, spacingMs: 0 }).execute(tx);
    expect(claimed.rows).toHaveLength(ids.length);
    expect(await inPlace('associations')).toEqual({ updated: ids.length, inPlace: ids.length });
    await cleanFinishStatement(
      claimed.rows.map(({ id, generation }) => ({
        id,
        token: 't',
        generation,
        done: true,
        status: 'SYNCED',
        error: null,
        records: [],
        attempts: 0,
        retryMs: null,
        written: [{ name_key: `name-${id}`, sub_key: '', remote_version: '2', fingerprint, tag_keys: [], noted: true }],
        kept: [],
        removed: [],
        tombstoned: [],
        remembered: null,
        rechecked: null,
        attempt: { outcome: 'synced', durationMs: 12, calls: 1, requestId: null },
      })),
    ).execute(tx);
    expect(await inPlace('sync_objects')).toEqual({ updated: ids.length, inPlace: ids.length });
  });
});
