import { type RawBuilder, sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Store } from '../../store/store.ts';
import type { Finish, Finished } from '../reconcile/outcome.ts';
import { splitting } from '../reconcile/plan/split.ts';
import { cleanFinishStatement, isClean } from './clean-finish-statement.ts';
import { type FinishRow, finishStatement } from './finish-statement.ts';

/**
 * Writes attempts back, in batches. Of an object whose push failed nobody knows the value (the answer may have been lost), so
 * its fingerprint is forgotten: should the old value come back, it is pushed. An association that had to go and has left
 * nothing behind is deleted with its rows; the last one of a destination that is being purged takes the destination along.
 */
export function finishes(store: Store): (finish: Finish) => Promise<Finished> {
  const together = (statement: FinishStatement) =>
    coalesce(
      splitting((inputs: readonly Finish[]) => finishBatch(store, statement, inputs)),
      { batchSizeMax: 64, batchesMax: 2 },
    );
  const clean = together(cleanFinishStatement);
  const others = together(finishStatement);
  return async (finish) => (await (isClean(finish) ? clean : others)(finish))();
}

type FinishStatement = (inputs: readonly Finish[]) => RawBuilder<FinishRow>;

async function finishBatch(
  store: Store,
  statement: FinishStatement,
  inputs: readonly Finish[],
): Promise<readonly Finished[]> {
  const { rows } = await statement(inputs).execute(store.db);
  const newer = new Map(rows.map((row) => [row.id, row.newer]));
  const purged = [...new Set(rows.flatMap((row) => (row.purged === null ? [] : [row.purged])))];
  if (purged.length > 0) await dropPurged(purged).execute(store.db);
  return inputs.map(({ id }) => {
    const superseded = newer.get(id);
    if (superseded === undefined) return 'lost';
    return superseded ? 'superseded' : 'settled';
  });
}

/** Deletes destinations under purge that have no association left. */
export const dropPurged = (ids: readonly string[]) => sql`
  delete from destinations d
   where d.id = any(${ids}::bigint[]) and d.purge_initiated_at is not null
     and not exists (select 1 from associations a where a.destination_id = d.id)`;
