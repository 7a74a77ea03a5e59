import { type QueryExecutorProvider, sql } from 'kysely';
import type { Log } from '../../core/log.ts';
import { type Lineage, readLineage } from '../../store/postgres/lineage.ts';
import type { Store } from '../../store/store.ts';
import { beginMarkings } from './begin.ts';

/**
 * Begins to have every association looked at again when the database stands in another timeline of its cluster than before: a standby was
 * promoted. What was committed last may be missing then, though it was pushed; and so may claims of workers, which do not wait for a
 * synchronous standby. Until its turn has come each association reads PENDING. Answers whether it did.
 *
 * Another cluster is a restored backup. Which side is right then, the store or its copies, is for the operator to say.
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
      'the database was failed over: every association is looked at again',
    );
    return true;
  });
}

async function kept(db: QueryExecutorProvider): Promise<Lineage | undefined> {
  const { rows } = await sql<Lineage>`
    select cluster, timeline::float8 as timeline from lineage where id = 1`.execute(db);
  return rows[0];
}

/** What the server does not let us know is not compared. */
function isOther(before: Lineage | undefined, now: Lineage): boolean {
  if (now.cluster === null && now.timeline === null) return false;
  if (before === undefined) return true;
  return differs(before.cluster, now.cluster) || differs(before.timeline, now.timeline);
}

/** Both are known, and the cluster is the same as far as we know. */
const isPromoted = (before: Lineage | undefined, now: Lineage): boolean =>
  before !== undefined &&
  before.timeline !== null &&
  before.cluster === now.cluster &&
  differs(before.timeline, now.timeline);

const differs = <T>(before: T | null, now: T | null): boolean => now !== null && before !== now;
