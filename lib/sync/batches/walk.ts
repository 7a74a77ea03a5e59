import { type RawBuilder, sql } from 'kysely';
import { errorStatuses, type SyncStatus } from '../model/status.ts';
import { allOf, ofAssociation, ofDestination } from '../records/condition.ts';
import type { RecordFilter } from '../records/filter.ts';
import type { BatchAction } from './batch.ts';

/** Which associations a batch works with. */
export interface Selection {
  readonly namespaceId: string;
  readonly filter: RecordFilter;
  /** Only associations that have not changed since. */
  readonly updatedBefore: Date | null;
  /** Only these secrets, at the creation. */
  readonly secrets?: readonly string[] | undefined;
  /** Only the destinations with these ids, at the creation. */
  readonly destinations?: readonly string[] | undefined;
}

/** The condition that an association `a` of the destination `d` is selected. */
export const isSelected = (selection: Selection): RawBuilder<unknown> =>
  allOf([
    isOfSelection(selection),
    ofAssociation(selection.filter),
    isOld(selection),
    selection.secrets && sql`a.secret_name = any(${selection.secrets}::text[])`,
  ]);

/** The part of the condition that concerns the destination `d`. */
export const isOfSelection = ({ namespaceId, filter, destinations }: Selection): RawBuilder<unknown> =>
  allOf([
    sql`d.namespace_id = ${namespaceId}`,
    ofDestination(filter),
    destinations && sql`d.id = any(${destinations}::bigint[])`,
  ]);

/** The condition that the association `a` has not changed for long enough. */
export const isOld = ({ updatedBefore }: Selection): RawBuilder<unknown> =>
  updatedBefore === null ? sql`true` : sql`a.updated_at <= ${updatedBefore}::timestamptz`;

/** The filter that a batch works with: as in `sys/sync/replay`, a replay without statuses selects the three error states. */
export const filterOf = (action: BatchAction, filter: RecordFilter): RecordFilter =>
  action === 'replay' && filter.statuses === undefined ? { ...filter, statuses: errorStatuses } : filter;

/**
 * A condition on `associations` that is the one of the index with the fewest other associations: that of failed ones, that of dirty ones
 * (which include all that are PENDING), or the primary key. The conditions are literals because PostgreSQL needs them for planning.
 */
export function along({ statuses }: RecordFilter): RawBuilder<unknown> {
  if (statuses?.every((status) => isError(status))) return failed;
  if (statuses?.every((status) => status === 'PENDING')) return sql`generation > observed_generation`;
  return sql`true`;
}

const isError = (status: SyncStatus): boolean => errorStatuses.some((one) => one === status);

const failed = sql`status in (${sql.join(errorStatuses.map((status) => sql.lit(status)))})`;
