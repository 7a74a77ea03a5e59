import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenStore } from '#store/open.ts';
import type { Store } from '#store/store.ts';
import { countAssociations, countUnfolded } from '#sync/records/metric-counts.ts';
import { countedDestinations, numbersOf } from '#sync/records/overview/counts.ts';
import { pendingByDestination } from '#sync/samples/pending.ts';
import { foldCounts } from '#sync/sweep/counts/fold.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations } from '../records/many.ts';

let store: OpenStore;
const all = 20_000;
let id: string;

beforeAll(async () => {
  store = await testStore();
  await insertDestinations(store, ['a', 'b']);
  await sql`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template, adopt,
                              desired, status, generation, observed_generation, records, updated_at, dirty_since)
    select d.id, d.type, gen_random_uuid(), 'kv/', 'kv_1', n::text, 'secret-path', 't', false, 'present',
           case when n % 2 = 0 then 'PENDING' else 'SYNCED' end, 1, n % 2, '[]', now(), case when n % 2 = 0 then now() end
      from generate_series(1, ${all / 2}::int) n cross join destinations d`.execute(store.db);
  expect(await countUnfolded(store)).toBeGreaterThan(0);
  await foldCounts(store);
  expect(await countUnfolded(store)).toBe(0);
  await sql`vacuum analyze associations`.execute(store.db);
  const { rows } = await sql<{ id: string }>`select min(id)::text as id from destinations`.execute(store.db);
  id = rows[0]?.id ?? '';
});
afterAll(() => store.close());

type Db = Pick<Store, 'db'>;
const reads: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['of the overview', (db) => countedDestinations(db, rootNamespace.id)],
  ['of a destination', (db) => numbersOf(db, id)],
  ['of a sample', pendingByDestination],
  ['of metrics', countAssociations],
  ['of changes that are not folded', countUnfolded],
];

/** Some for the way to the first entry of an index, for each destination. */
const blocksMax = 40;

test.each(['force_generic_plan', 'force_custom_plan'])('no count reads the associations, with %s', async (mode) => {
  await store.db.transaction().execute(async (tx) => {
    await sql`set local plan_cache_mode = ${sql.raw(mode)}`.execute(tx);
    // The counter also has what earlier transactions of the connection have not yet reported.
    const seen = async () => {
      const { rows } = await sql<{ scans: number; blocks: number }>`
        select pg_stat_get_xact_numscans('associations'::regclass)::int as scans,
               (select sum(pg_stat_get_xact_blocks_fetched(c.oid))::int from pg_class c
                 where c.oid = 'associations'::regclass
                    or c.oid in (select indexrelid from pg_index where indrelid = 'associations'::regclass)) as blocks`.execute(
        tx,
      );
      return rows[0] ?? { scans: 0, blocks: 0 };
    };
    for (const [what, read] of reads) {
      const before = await seen();
      await read({ db: tx });
      const { scans, blocks } = await seen();
      expect(scans - before.scans, what).toBe(0);
      expect(blocks - before.blocks, what).toBeLessThan(blocksMax);
    }
  });
});
