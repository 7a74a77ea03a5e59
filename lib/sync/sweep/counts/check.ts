import type { Log } from '#core/log/log.ts';
import { outageOf } from '#core/log/outage.ts';
import { pick } from '#store/sql/columns.ts';
import { bigintText, bool } from '#store/sql/kinds.ts';
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

/**
 * Counts the associations of the next destination, when that is due and no other process does, and corrects the counts where they differ.
 * Only writes that bypass the triggers make them differ, such as those of a replication tool. A destination that cannot be counted within
 * the time limit of statements is passed over.
 */
export async function checkCounts(parts: CheckParts, state: CheckState): Promise<void> {
  const beganMs = Date.now();
  const waitMs = state.dueAtMs - beganMs;
  // A longer wait means that the clock was set back.
  if (waitMs > 0 && waitMs <= pauseMsMax) return;
  const { rows } = await rowsOf({ id: bigintText })`
    select id from destinations where id > ${state.after}::bigint order by id limit 1`.execute(parts.store.db);
  state.after = rows[0]?.id ?? '0';
  if (rows[0] !== undefined) await mend(parts, rows[0].id);
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
