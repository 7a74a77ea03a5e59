import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { pick } from '#store/sql/columns.ts';
import { bigintText, bool, float } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { associationCountsTable } from '#store/tables/sync.ts';

/** Where the check of the counts goes on. Losing it costs only time. */
export interface CheckState {
  /** The destination that was checked last; '0' starts from the first. */
  after: string;
  /** When the next one is due, by `Date.now()`. */
  dueAtMs: number;
}

export const newCheckState = (): CheckState => ({ after: '0', dueAtMs: 0 });

/** The pause between two checks: a multiple of how long the last one took, so that it stays a small part of the load. */
const pauseFactor = 200;
const pauseMsMin = 60_000;
const pauseMsMax = 3_600_000;

export interface CheckParts {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly log: Log;
}

/** Destinations with more associations are passed over: each may be on a page of its own that is read from disk, and no statement may take long. */
const checkedMax = 20_000;

/**
 * Counts the associations of the next destination, when that is due and no other process does, and corrects the counts where they differ.
 * Only writes that bypass the triggers make them differ, such as those of a replication tool.
 */
export async function checkCounts(parts: CheckParts, state: CheckState, associationsMax = checkedMax): Promise<void> {
  const beganMs = Date.now();
  const waitMs = state.dueAtMs - beganMs;
  // A longer wait means that the clock was set back.
  if (waitMs > 0 && waitMs <= pauseMsMax) return;
  const { rows } = await rowsOf({ id: bigintText, associations: float })`
    select d.id, (select coalesce(sum(c.associations), 0)::float8 from association_counts c where c.destination_id = d.id) as associations
      from destinations d where d.id > ${state.after}::bigint order by d.id limit 1`.execute(parts.store.db);
  const [next] = rows;
  state.after = next?.id ?? '0';
  if (next !== undefined && next.associations <= associationsMax) await mend(parts, next.id);
  const pauseMs = (Date.now() - beganMs) * pauseFactor;
  state.dueAtMs = Date.now() + Math.min(pauseMsMax, Math.max(pauseMsMin, pauseMs));
}

const missingColumns = pick(associationCountsTable, 'status', 'kind', 'associations', 'dirty', 'drifted');

async function mend({ store, log }: CheckParts, destination: string): Promise<void> {
  try {
    const missing = await store.transaction(async (tx) => {
      const lock = rowsOf({ locked: bool })`
        select pg_try_advisory_xact_lock(hashtext('association_counts'), 0) as locked`;
      if ((await lock.execute(tx)).rows[0]?.locked !== true) return [];
      const { rows } = await rowsOf(missingColumns)`
        select status, kind, associations, dirty, drifted from mend_association_counts(${destination}::bigint)`.execute(
        tx,
      );
      return rows;
    });
    if (missing.length > 0)
      log.warn({ destination, missing }, 'the counts of associations were wrong and are corrected');
  } catch (cause) {
    log.warn(
      { destination, ...(outageOf(cause) ?? { error: String(cause) }) },
      'could not check the counts of associations',
    );
  }
}
