import { sql } from 'kysely';
import { badRequest } from '../core/errors.ts';
import type { Store } from '../store/store.ts';

/** Entries of one query. */
const pageSize = 10_000;
/** More than this does not fit in a reply that anyone can use. */
const keysMax = 1_000_000;
/** The last character there is: sorts after every path. */
const end = '\u{10FFFF}';

interface Entry {
  readonly name: string;
  /** The next entry is the first path that does not sort before this. */
  readonly next: string;
}

/**
 * Names in a folder of a mount, sorted by bytes: secrets by their name, folders once each and with a slash. `folder` is
 * empty or ends in a slash. Jumps through the index from entry to entry, so a folder costs the same however much is in it.
 */
export async function listFolder(store: Store, mountId: string, folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  let next = `${folder}\u0001`;
  while (names.length < keysMax) {
    const page = await readPage(store, mountId, folder, next);
    for (const entry of page) names.push(entry.name);
    next = page.at(-1)?.next ?? next;
    if (page.length < pageSize) return names;
  }
  throw badRequest(`there are more than ${keysMax} entries in this folder: list folders below it`);
}

async function readPage(store: Store, mountId: string, folder: string, from: string): Promise<readonly Entry[]> {
  // `0` is the character after `/`: `a0` is the first path that may come after all of `a/...`.
  const until = folder === '' ? end : `${folder.slice(0, -1)}0`;
  // In characters as PostgreSQL counts them.
  const skip = [...folder].length;
  const step = (start: ReturnType<typeof sql>) => sql`
    select path, strpos(substr(path, ${skip}::int + 1), '/') as slash
      from kv_secrets
     where mount_id = ${mountId}::uuid and path >= ${start} and path < ${until}
     order by path limit 1`;
  const entry = sql`
    case when slash = 0 then substr(path, ${skip}::int + 1) else substr(path, ${skip}::int + 1, slash) end,
    case when slash = 0 then path || chr(1) else substr(path, 1, ${skip}::int + slash - 1) || '0' end`;
  const { rows } = await sql<Entry>`
    with recursive entry (name, next) as (
      select ${entry} from (${step(sql`${from}`)}) as first
      union all
      select ${entry} from entry cross join lateral (${step(sql`entry.next`)}) as following
    )
    select name, next from entry limit ${pageSize}`.execute(store.db);
  return rows;
}
