import { z } from 'zod';
import type { RowOf } from '#store/sql/columns.ts';
import { jsonOf, oneOf } from '#store/sql/kinds.ts';
import { syncBatchesTable } from '#store/tables/sync.ts';
import type { RecordFilter } from '../records/filter.ts';

/**
 * What a request can have a batch do with each association: `replay` syncs it again as a replay does, `force` pushes it even if it looks unchanged, `set`
 * sets it again with the template and granularity that its destination has now, and `remove` ends it and removes its copies. A `set` with
 * a destination and a mount associates secrets that were recorded.
 */
export const requestedActions = ['replay', 'force', 'set', 'remove'] as const;

/** `apply` does what a kept plan says, or nothing. */
export const batchActions = [...requestedActions, 'apply'] as const;
export type BatchAction = (typeof batchActions)[number];

/**
 * running → settling → done. While *running* it changes associations; while *settling* all are changed and some outcomes are
 * outstanding. A cancellation ends it from either state, an unexpected failure from the first; outcomes are counted all the same.
 */
export const batchStates = ['running', 'settling', 'done', 'canceled', 'failed'] as const;

/** What became of the associations of a batch. */
const outcomes = z.strictObject({
  synced: z.number(),
  unsynced: z.number(),
  /** By kind of error. */
  failed: z.record(z.string(), z.number()),
});
export type Outcomes = z.infer<typeof outcomes>;

/** The outcomes with so many more that failed with this kind of error. */
export const withFailed = (sum: Outcomes, kind: string, count: number): Outcomes =>
  count === 0 ? sum : { ...sum, failed: { ...sum.failed, [kind]: (sum.failed[kind] ?? 0) + count } };

const filter = z.custom<RecordFilter>((value) => typeof value === 'object' && value !== null);

export const batchColumns = {
  ...syncBatchesTable,
  action: oneOf(...batchActions),
  state: oneOf(...batchStates),
  filter: jsonOf(filter),
  outcomes: jsonOf(outcomes),
};

export type Batch = RowOf<typeof batchColumns>;

/** How many associations are counted at the creation. */
export const countedMax = 100_000;

/** Ended batches are kept for this time, and at most so many per namespace. */
export const keptDays = 7;
export const keptMax = 200;
/** Batches of a namespace that may be open at a time. */
export const openMax = 100;
