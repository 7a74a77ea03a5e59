import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { estimateTokens } from '#auth/token/count.ts';
import type { OpenStore } from '#store/open.ts';
import { countAssociations, oldestDirty } from '#sync/records/metric-counts.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
const all = 30_000;

beforeAll(async () => {
  store = await testStore();
  await sql`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('cloud-a-sm', 'd', 'x', 'secret-path', '{}', '{}', false, now())`.execute(store.db);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, generation, observed_generation, status, records, updated_at, dirty_since)
    select d.id, case when n % 3 = 0 then 'repo-host' else 'cloud-a-sm' end, gen_random_uuid(), 'kv/', 'kv_1', 's' || n, 'secret-path',
           'keyferry-{{ .SecretBaseName }}', false, case when n % 10 = 9 then 'absent' else 'present' end,
           case when n % 1000 = 1 then 2 else 1 end, 1,
           case when n % 1000 = 1 then 'PENDING' when n % 1000 = 2 then 'CLIENT_SIDE_ERROR' when n % 10 = 9 then 'UNSYNCED' else 'SYNCED' end,
           ${JSON.stringify([{ status: 'SYNCED', external_name: 'n'.repeat(200) }])}::jsonb, now(),
           case when n % 1000 = 1 then now() - make_interval(secs => n) end
      from generate_series(1, ${all}::int) n cross join destinations d`.execute(store.db);
  await sql`
    insert into tokens (hash, accessor, policies, display_name, path, type, num_uses, period, explicit_max_ttl, creation_ttl,
                        creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)
    select sha256(n::text::bytea), n::text, '{default}', '', 'auth/token/create', 'service', 0, 0, 0, 3600, now(),
           case when n % 4 > 0 then now() + interval '1 day' end, true, true, '', '', '{}'
      from generate_series(1, ${all}::int) n`.execute(store.db);
  await sql`analyze associations, tokens`.execute(store.db);
});
afterAll(() => store.close());

const pagesMax = 200;

/** Runs `work` and counts the blocks of the named tables and indexes that it reads. */
async function blocks<T>(relations: readonly string[], work: (db: OpenStore['db']) => Promise<T>) {
  return store.db.transaction().execute(async (tx) => {
    const count = async () => {
      const { rows } = await sql<{ blocks: number }>`
        select sum(pg_stat_get_xact_blocks_fetched(name::regclass))::int as blocks from unnest(${relations}::text[]) name`.execute(
        tx,
      );
      return rows[0]?.blocks ?? 0;
    };
    const before = await count();
    const result = await work(tx);
    return { result, blocks: (await count()) - before };
  });
}

const countOf = (counts: Awaited<ReturnType<typeof countAssociations>>, status: string) =>
  counts.filter((one) => one.status === status).reduce((sum, { count }) => sum + count, 0);

test('associations are counted exactly by the type of their destination, without reading them', async () => {
  const { result, blocks: read } = await blocks(['associations', 'associations_pkey'], (db) =>
    countAssociations({ db }),
  );
  expect(countOf(result, 'PENDING')).toBe(30);
  expect(countOf(result, 'CLIENT_SIDE_ERROR')).toBe(30);
  expect(countOf(result, 'UNSYNCED')).toBe(0);
  expect(countOf(result, 'SYNCED')).toBe(26_940);
  expect(new Set(result.map(({ type }) => type))).toEqual(new Set(['cloud-a-sm']));
  expect(read).toBe(0);
});

test('of a larger table of tokens only a bounded part is read', async () => {
  const { result, blocks: read } = await blocks(['tokens', 'tokens_pkey', 'tokens_ends'], (db) =>
    estimateTokens({ db }, pagesMax),
  );
  expect(result.tokens).toBeGreaterThan(0.7 * all);
  expect(result.tokens).toBeLessThan(1.3 * all);
  expect(result.leases / result.tokens).toBeCloseTo(0.75, 1);
  expect(read).toBeLessThan(2 * pagesMax);
  expect(await estimateTokens(store, 1_000_000)).toEqual({ tokens: all, leases: (all * 3) / 4 });
});

test('the oldest change of each type is found without reading the others', async () => {
  await sql`update associations set generation = 3, status = 'PENDING', dirty_since = coalesce(dirty_since, now())`.execute(
    store.db,
  );
  await sql`analyze associations`.execute(store.db);
  const types = ['cloud-a-sm', 'repo-host', 'cloud-c-sm'];
  const indexes = ['associations_dirty', 'associations_dirty_since', 'associations_pkey'];
  const { result, blocks: read } = await blocks(['associations', ...indexes], (db) => oldestDirty({ db }, types));
  expect([...result.keys()].toSorted()).toEqual(['cloud-a-sm', 'repo-host']);
  expect(result.get('cloud-a-sm')).toBeGreaterThanOrEqual(28_001);
  expect(result.get('repo-host')).toBeGreaterThanOrEqual(29_001);
  expect(read).toBeLessThan(100);
  expect(countOf(await countAssociations(store), 'PENDING')).toBe(all);
});
