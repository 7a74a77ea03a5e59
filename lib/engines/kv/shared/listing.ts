import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import type { Store } from '../../../store/store.ts';

/** Paths that are looked at before the rest of a folder is jumped over. */
const stepSize = 256;
/** Steps of one query. */
const stepsMax = 400;
/** More than this does not fit in a reply that anyone can use. */
const namesMax = 1_000_000;
/** The last character there is: sorts after every path. */
const end = '\u{10FFFF}';

interface Step {
  readonly names: readonly string[];
  /** The next step begins with the first path that does not sort before this. */
  readonly next: string;
}

/**
 * Names in a folder of a mount, sorted by bytes: secrets by their name, folders once each and with a slash. `folder` is
 * empty or ends in a slash. Walks the index in steps and jumps to the end of the folder in which a step ends, so the cost
 * grows with the names and not with what is in the folders.
 */
export async function listFolder(store: Store, mountId: string, folder: string): Promise<readonly string[]> {
  const all: string[] = [];
  let from = `${folder}\u0001`;
  while (all.length < namesMax) {
    const steps = await readSteps(store, mountId, folder, from);
    for (const { names } of steps) all.push(...names);
    from = steps.at(-1)?.next ?? from;
    if (steps.length < stepsMax) return all;
  }
  throw badRequest(`there are more than ${namesMax} names in this folder: list the folders below it`);
}

async function readSteps(store: Store, mountId: string, folder: string, from: string): Promise<readonly Step[]> {
  const { rows } = await sql<Step>`
    with recursive step (names, next) as (
      select first.* from (${stepFrom(sql`${from}::text`, mountId, folder)}) as first
      union all
      select following.* from step cross join lateral (${stepFrom(sql`step.next`, mountId, folder)}) as following
    )
    select names, next from step limit ${stepsMax}::int`.execute(store.db);
  return rows;
}

function stepFrom(from: RawBuilder<unknown>, mountId: string, folder: string): RawBuilder<unknown> {
  // `0` is the character after `/`: `a0` is the first path that may come after all of `a/...`.
  const until = folder === '' ? end : `${folder.slice(0, -1)}0`;
  // In characters as PostgreSQL counts them.
  const skip = sql`${[...folder].length}::int`;
  return sql`
    select array_agg(distinct case when slash = 0 then name else substr(name, 1, slash) end) as names,
           case when strpos(max(name), '/') = 0 then ${folder}::text || max(name) || chr(1)
                else ${folder}::text || split_part(max(name), '/', 1) || '0' end collate "C" as next
      from (select name, strpos(name, '/') as slash
              from (select substr(path, ${skip} + 1) as name from kv_secrets
                     where mount_id = ${mountId}::uuid and path >= ${from} and path < ${until}::text
                     order by path limit ${stepSize}::int) as paths) as names
    having count(*) > 0`;
}
