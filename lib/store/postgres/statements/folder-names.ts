import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { text } from '../../sql/kinds.ts';
import { rowsOf } from '../../sql/rows.ts';

/** Indexed paths, sorted by bytes. */
export interface IndexedPaths {
  /** The column or expression that the index sorts by. */
  readonly path: RawBuilder<unknown>;
  /** Table and condition: `table where …`. The condition covers all index columns that precede the path. */
  readonly of: RawBuilder<unknown>;
}

export interface FolderPage {
  /** Only names after this one. Empty: from the first name. */
  readonly after: string;
  readonly limit: number;
}

/** Paths that the first step of a statement reads, and the limit for later steps. */
const stepSizeFirst = 32;
const stepSizeMax = 1_024;
/** Names that one statement returns, which takes a fraction of a second. */
const namesPerStatement = 10_000;

/** `0` is the character after `/`, so `a0` sorts directly after all paths `a/...`. */
const afterSlash = '0';
/** The smallest character that a path may contain, so `a\u0001` sorts directly after `a`. */
const first = '\u0001';

/**
 * Lists the names in a folder, sorted by bytes: entries by name, subfolders once each with a trailing slash. `folder` is empty or
 * ends in a slash. Reads fewer than three paths for each name, however many paths a subfolder has.
 */
export async function folderNames(
  db: QueryExecutorProvider,
  paths: IndexedPaths,
  folder: string,
  { after, limit }: FolderPage,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (let last = after; all.length < limit; last = all.at(-1) ?? last) {
    const most = Math.min(namesPerStatement, limit - all.length);
    const names = await readNames(db, paths, folder, last, most);
    for (const name of names) all.push(name);
    if (names.length < most) break;
  }
  return all;
}

/**
 * Walks the index in steps. Each step starts after the last name of the previous one, which skips the rest of a folder, and reads
 * twice as many paths as the previous step found names.
 */
async function readNames(
  db: QueryExecutorProvider,
  paths: IndexedPaths,
  folder: string,
  after: string,
  most: number,
): Promise<readonly string[]> {
  const from = sql`${folder + firstAfter(after)}::text collate "C"`;
  const start = sql`${Math.min(stepSizeFirst, most)}::int`;
  const { rows } = await rowsOf({ name: text })`
    with recursive step (names, next, size, total) as (
      select names, next, least(cardinality(names) * 2, ${stepSizeMax}::int), cardinality(names)
        from (${stepFrom(paths, folder, from, start)}) as opening
      union all
      select following.names, following.next, least(cardinality(following.names) * 2, ${stepSizeMax}::int),
             step.total + cardinality(following.names)
        from step cross join lateral (${stepFrom(paths, folder, sql`step.next`, sql`step.size`)}) as following
       where step.total < ${most}::int)
    select name from step cross join lateral unnest(names) as name order by name collate "C" limit ${most}::int`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

function firstAfter(name: string): string {
  const slash = name.indexOf('/');
  return slash === -1 ? name + first : name.slice(0, slash) + afterSlash;
}

function stepFrom(
  { path, of }: IndexedPaths,
  folder: string,
  from: RawBuilder<unknown>,
  size: RawBuilder<unknown>,
): RawBuilder<unknown> {
  // PostgreSQL counts code points, not UTF-16 units.
  const skip = sql`${[...folder].length}::int`;
  const within = folder === '' ? sql`true` : sql`${path} < ${folder.slice(0, -1) + afterSlash}::text collate "C"`;
  return sql`
    select array_agg(distinct case when slash = 0 then name else substr(name, 1, slash) end) as names,
           (case when strpos(max(name), '/') = 0 then ${folder}::text || max(name) || ${first}::text
                 else ${folder}::text || split_part(max(name), '/', 1) || ${afterSlash}::text end) collate "C" as next
      from (select name, strpos(name, '/') as slash
              from (select substr(${path}, ${skip} + 1) as name from ${of} and ${path} >= ${from} and ${within}
                     order by ${path} limit ${size}) as paths) as names
    having count(*) > 0`;
}
