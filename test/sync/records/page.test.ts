import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import { definitions } from '#destinations/index.ts';
import type { OpenStore } from '#store/open.ts';
import { recordCondition } from '#sync/records/condition.ts';
import { fromCursor, type RecordPlace, toCursor } from '#sync/records/cursor.ts';
import { listedDestinations } from '#sync/records/destinations.ts';
import { type GivenRecordFilter, type RecordFilter, recordFilter } from '#sync/records/filter.ts';
import { recordPage } from '#sync/records/page.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from './many.ts';

let store: OpenStore;
/** A small part of the table, as in a large installation: the planner rightly reads a small table whole for a tenth of its rows. */
const secretsOfEach = 400;
const errors = ['CLIENT_SIDE_ERROR', 'EXTERNAL_SERVICE_ERROR'];

beforeAll(async () => {
  store = await testStore();
  await sql`insert into namespaces (id, uuid, path, custom_metadata) values ('other', gen_random_uuid(), 'other/', '{}')`.execute(
    store.db,
  );
  const names = Array.from({ length: 25 }, (_, index) => `place-${index}`);
  await insertDestinations(store, [...names, 'empty']);
  await insertDestinations(store, names, 'other');
  await insertRecords(
    store,
    names.flatMap((destination) => Array.from({ length: secretsOfEach }, (_, n) => ({ destination, ...example(n) }))),
  );
  await sql`analyze associations, destinations`.execute(store.db);
});
afterAll(() => store.close());

/** Mostly healthy, as in a real installation. */
function example(n: number) {
  const place = {
    ...(n % 80 === 7 ? { rule: 1 } : {}),
    secret: `app-${n % 50}/db-${n}`,
    mount: n % 3 === 0 ? 'kv/' : 'team/',
  };
  if (n % 100 === 1)
    return { ...place, status: errors[n % 200 === 1 ? 0 : 1] ?? '', kind: n % 200 === 1 ? 'name' : 'timeout' };
  if (n % 100 === 2) return { ...place, status: 'PENDING', kind: 'timeout', attempts: 1, unconfirmed: n % 400 === 2 };
  if (n % 100 === 3) return { ...place, status: 'PENDING' };
  if (n % 100 === 4) return { ...place, status: 'UNSYNCED', desired: n % 200 === 4 ? 'absent' : 'present' } as const;
  if (n % 100 === 5) return { ...place, drift: ['deleted', 'changed', 'tags', 'foreign'][((n / 100) % 4) | 0] ?? null };
  return n % 500 === 6 ? { ...place, unconfirmed: true } : place;
}

const single: readonly GivenRecordFilter[] = [
  {},
  { type: 'cloud-a-sm' },
  { name: 'place-3' },
  { status: ['SYNCED'] },
  { status: ['PENDING'] },
  { status: errors },
  { status: ['UNSYNCED'] },
  { kind: ['timeout'] },
  { mount: 'team' },
  { prefix: 'app-7/' },
  { secret: 'app-1/db-101' },
  { unconfirmed: true },
  { unconfirmed: false },
  { drift: ['any'] },
  { drift: ['deleted', 'tags'] },
  { rule: 'standing' },
];
const pairs = single.flatMap((one, at) => single.slice(at + 1).map((other) => ({ ...other, ...one })));
const texts = new Set<string>();
const filters = [...single, ...pairs].filter((one) => {
  const text = JSON.stringify(Object.entries(one).sort());
  return !texts.has(text) && texts.add(text);
});

/** With the id that the rows look up for the name of a rule. */
function filterOf(given: GivenRecordFilter): RecordFilter {
  const filter = recordFilter(definitions, given);
  return filter.rule === undefined ? filter : { ...filter, ruleId: '1' };
}

/** All pages of a list, one after the other. */
async function pagesOf(given: GivenRecordFilter, limit: number) {
  const filter = filterOf(given);
  const destinations = await listedDestinations(store, rootNamespace.id, filter);
  const shown: string[] = [];
  let after: RecordPlace | undefined;
  let total = 0;
  do {
    const page = await recordPage(store, { destinations, filter, limit, after });
    shown.push(...page.records.map(({ id }) => id));
    total = page.total;
    after = page.next && fromCursor(toCursor(page.next));
  } while (after !== undefined);
  return { shown, total };
}

describe('the pages of records', () => {
  test.each(filters)('of %o show every matching record once, by destination, mount and secret', async (given) => {
    const { rows } = await sql<{ id: string }>`
      select a.id from associations a join destinations d on d.id = a.destination_id
       where ${recordCondition(filterOf(given), rootNamespace.id)}
       order by d.type, d.name, a.mount_id, a.secret_name`.execute(store.db);
    const { shown, total } = await pagesOf(given, Math.ceil(rows.length / 3.5) || 1);
    expect(shown).toEqual(rows.map(({ id }) => id));
    expect(total).toBe(rows.length);
  });

  test('continue after a destination that was deleted meanwhile', async () => {
    const filter = recordFilter(definitions, {});
    const destinations = await listedDestinations(store, rootNamespace.id, filter);
    const place = {
      type: 'cloud-a-sm',
      name: 'place-1',
      mountId: '00000000-0000-4000-8000-6b762f202020',
      secretName: 'app-1/db-51',
    };
    const left = destinations.filter(({ name }) => name !== 'place-1');
    const { records } = await recordPage(store, { destinations: left, filter, limit: 1, after: place });
    expect(records[0]?.destination_name).toBe('place-10');
  });

  test('count exactly up to 10,000 and say when there are more', async () => {
    const destinations = await listedDestinations(store, rootNamespace.id, {});
    const request = { destinations, filter: {}, limit: 1, after: undefined };
    expect(await recordPage(store, request)).toMatchObject({ total: 9_950, totalAtLeast: false });
    await insertRecords(
      store,
      Array.from({ length: 51 }, (_, n) => ({ destination: 'empty', secret: `more-${n}` })),
    );
    expect(await recordPage(store, request)).toMatchObject({ total: 10_000, totalAtLeast: true });
  });
});

describe('a page', () => {
  test.each(['force_generic_plan', 'force_custom_plan'])(
    'reads no whole table for any filter, with %s',
    async (mode) => {
      const all = await listedDestinations(store, rootNamespace.id, {});
      await store.db.transaction().execute(async (tx) => {
        await sql`set local plan_cache_mode = ${sql.raw(mode)}`.execute(tx);
        // The counter also has what earlier transactions of the connection have not yet reported.
        const scans = async (): Promise<number> => {
          const { rows } = await sql<{ scans: number }>`
            select pg_stat_get_xact_numscans('associations'::regclass)::int as scans`.execute(tx);
          return rows[0]?.scans ?? 0;
        };
        for (const given of filters) {
          const filter = filterOf(given);
          const destinations = all.filter(({ name }) => filter.name === undefined || name === filter.name);
          const before = await scans();
          await recordPage({ db: tx }, { destinations, filter, limit: 100, after: undefined });
          expect((await scans()) - before, JSON.stringify(given)).toBe(0);
        }
      });
    },
  );

  test.each<GivenRecordFilter>([
    { status: ['UNSYNCED'] },
    { kind: ['name'] },
    { unconfirmed: true },
    { secret: 'app-1/db-101' },
    { prefix: 'app-7/', name: 'place-1' },
    { status: ['PENDING'], prefix: 'app-2/' },
    { drift: ['any'] },
    { drift: ['foreign'], prefix: 'app-2/' },
    { rule: 'standing' },
    { rule: 'standing', prefix: 'app-2/' },
    { rule: 'standing', name: 'place-1' },
  ])('of %o reads few rows that do not match', async (given) => {
    const filter = filterOf(given);
    const destinations = await listedDestinations(store, rootNamespace.id, filter);
    await store.db.transaction().execute(async (tx) => {
      await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
      const fetched = async (): Promise<number> => {
        const { rows } = await sql<{ blocks: number }>`
          select pg_stat_get_xact_blocks_fetched('associations'::regclass)::int as blocks`.execute(tx);
        return rows[0]?.blocks ?? 0;
      };
      const before = await fetched();
      await recordPage({ db: tx }, { destinations, filter, limit: 100, after: undefined });
      expect((await fetched()) - before).toBeLessThan(1_000);
    });
  });
});
