import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { folderNames, type IndexedPaths } from '#store/postgres/statements/folder-names.ts';
import { fuzzing, runs } from '#test/support/fuzz.ts';
import { testStore } from '../../stores.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  await sql`create table paths (owner integer, path text collate "C", primary key (owner, path))`.execute(store.db);
});
afterAll(() => store.close());

const pathsOf = (owner: number): IndexedPaths => ({
  path: sql`path`,
  of: sql`paths where owner = ${owner}::int`,
});
const everything = { after: '', limit: 1_000_000 };
const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** The names in a folder, computed from every path. */
function naive(paths: readonly string[], folder: string): readonly string[] {
  const names = paths
    .filter((path) => path.startsWith(folder) && path !== folder)
    .map((path) => path.slice(folder.length))
    .map((rest) => (rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : rest));
  return [...new Set(names)].sort(bytes);
}

/** Characters around the slash in byte order, and the limits of UTF-8. */
const characters = fc.constantFrom(
  '/',
  '/',
  'a',
  'b',
  '.',
  '0',
  '-',
  '\u0001',
  ' ',
  '%',
  '_',
  '\\',
  'é',
  'ß',
  '\u{FFFF}',
  '\u{10000}',
  '\u{10FFFF}',
);
const path = fc.array(characters, { minLength: 1, maxLength: 7 }).map((all) => all.join(''));
let owners = 0;

async function keep(paths: readonly string[]): Promise<IndexedPaths> {
  owners += 1;
  await sql`insert into paths select ${owners}::int, unnest(${paths}::text[]) on conflict do nothing`.execute(store.db);
  return pathsOf(owners);
}

test('a listing has the same names as a scan of every path, as a whole and page by page', fuzzing, async () => {
  const given = fc.tuple(fc.uniqueArray(path, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), path);
  await fc.assert(
    fc.asyncProperty(given, async ([paths, limit, after]) => {
      const kept = await keep(paths);
      const folders = new Set(
        paths.flatMap((one) => one.split('/').map((_, depth, all) => all.slice(0, depth).concat('').join('/'))),
      );
      for (const folder of [...folders].slice(0, 8)) {
        const expected = naive(paths, folder);
        expect(await folderNames(store.db, kept, folder, everything)).toEqual(expected);
        const paged: string[] = [];
        for (let pages = 0; pages <= paths.length; pages += 1) {
          const page = await folderNames(store.db, kept, folder, { after: paged.at(-1) ?? '', limit });
          expect(page.length).toBeLessThanOrEqual(limit);
          paged.push(...page);
          if (page.length < limit) break;
        }
        expect(paged).toEqual(expected);
        expect(await folderNames(store.db, kept, folder, { after, limit: 1_000 })).toEqual(
          expected.filter((name) => bytes(name, after) > 0),
        );
      }
    }),
    runs(60),
  );
});

/** Index entries that a listing reads, and table rows that it reads in addition. */
async function readings(work: (db: OpenStore['db']) => Promise<unknown>) {
  return store.db.transaction().execute(async (tx) => {
    const count = async () => {
      const { rows } = await sql<{ entries: number; rows: number }>`
        select pg_stat_get_xact_tuples_returned('paths_pkey'::regclass)::int as entries,
               pg_stat_get_xact_tuples_returned('paths'::regclass)::int as rows`.execute(tx);
      return rows[0] ?? { entries: 0, rows: 0 };
    };
    const before = await count();
    await work(tx);
    const after = await count();
    return { entries: after.entries - before.entries, rows: after.rows - before.rows };
  });
}

async function filled(select: ReturnType<typeof sql>): Promise<IndexedPaths> {
  owners += 1;
  await sql`insert into paths select ${owners}::int, path from (${select}) as made (path)`.execute(store.db);
  await sql`analyze paths`.execute(store.db);
  return pathsOf(owners);
}

const inFolders = () => sql`
  select 'f' || f || '/' || s from generate_series(1, 300) f, generate_series(1, 200) s`;
const besideSecrets = () => sql`
  select p from generate_series(1, 300) f, lateral (
    select 'f' || f union all select 'f' || f || '/' || s from generate_series(1, 200) s) as paired (p)`;
const flat = () => sql`select 's' || s from generate_series(1, 5000) s`;

test.for([
  { what: 'folders', paths: inFolders, names: 300 },
  { what: 'secrets with a folder of their name', paths: besideSecrets, names: 600 },
  { what: 'secrets', paths: flat, names: 5_000 },
])('a list of $what reads what it lists and not the levels below', async ({ paths, names }) => {
  const kept = await filled(paths());
  const read = await readings(async (db) => expect(await folderNames(db, kept, '', everything)).toHaveLength(names));
  expect(read.rows).toBe(0);
  expect(read.entries).toBeGreaterThanOrEqual(names);
  expect(read.entries).toBeLessThanOrEqual(3 * names + 64);
});

test('a page reads no more than its names need', async () => {
  const kept = await filled(inFolders());
  const page = { after: 'f200/', limit: 10 };
  const read = await readings(async (db) => expect(await folderNames(db, kept, '', page)).toHaveLength(10));
  expect(read.rows).toBe(0);
  expect(read.entries).toBeLessThanOrEqual(64);
});

test('a list that takes more than one statement is complete', async () => {
  const kept = await filled(
    sql`select 'n' || n || case when n % 3 = 0 then '/below' else '' end from generate_series(1, 25000) n`,
  );
  const names = await folderNames(store.db, kept, '', everything);
  expect(names).toHaveLength(25_000);
  expect(names).toEqual([...new Set(names)].sort(bytes));
});
