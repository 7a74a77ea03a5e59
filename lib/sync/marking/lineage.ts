import { type QueryExecutorProvider, sql } from 'kysely';
import type { Log } from '#core/log/log.ts';
import { type Lineage, readLineage } from '#store/postgres/lineage.ts';
import { float, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { beginMarkings } from './begin.ts';

/**
 * Begins a recheck of every association when the timeline of the database has changed, which means that a standby was
 * promoted. The last commits may be missing then although their values were pushed, and so may claims of workers, which do
 * not wait for a synchronous standby. Each association reads PENDING until it is marked. Returns whether a recheck began.
 *
 * A different cluster is a restored backup. Whether the store or its copies are right is then up to the operator.
 */
export async function noticeLineage({ store, log }: { readonly store: Store; readonly log: Log }): Promise<boolean> {
  const now = await readLineage(store.db);
  if (!isOther(await kept(store.db), now)) return false;
  return store.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('lineage'))`.execute(tx);
    const before = await kept(tx);
    if (!isOther(before, now)) return false;
    await sql`
      insert into lineage (id, cluster, timeline) values (1, ${now.cluster}, ${now.timeline})
      on conflict (id) do update set cluster = excluded.cluster, timeline = excluded.timeline, since = now()`.execute(
      tx,
    );
    if (!isPromoted(before, now)) return false;
    const destinations = await beginMarkings(tx, sql`true`, { reason: 'recheck', forced: false });
    log.warn(
      { destinations: destinations.length, timeline: now.timeline, before: before?.timeline },
      'the database failed over: every association is rechecked',
    );
    return true;
  });
}

async function kept(db: QueryExecutorProvider): Promise<Lineage | undefined> {
  const { rows } = await rowsOf({ cluster: nullable(text), timeline: nullable(float) })`
    select cluster, timeline::float8 as timeline from lineage where id = 1`.execute(db);
  return rows[0];
}

/** Values that the server does not report are not compared. */
function isOther(before: Lineage | undefined, now: Lineage): boolean {
  if (now.cluster === null && now.timeline === null) return false;
  if (before === undefined) return true;
  return differs(before.cluster, now.cluster) || differs(before.timeline, now.timeline);
}

/** Both timelines are known, and the cluster is the same as far as we can tell. */
const isPromoted = (before: Lineage | undefined, now: Lineage): boolean =>
  before !== undefined &&
  before.timeline !== null &&
  before.cluster === now.cluster &&
  differs(before.timeline, now.timeline);

const differs = <T>(before: T | null, now: T | null): boolean => now !== null && before !== now;
