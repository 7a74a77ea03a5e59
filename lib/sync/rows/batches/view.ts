import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { statusName } from '#path/vocabulary.ts';
import { type Batch, type BatchAction, countedMax } from '../../batches/batch.ts';
import type { Preview } from '../../batches/preview.ts';
import { storedTypeIn } from '../../model/definition.ts';
import { toStatus } from '../../model/status.ts';
import type { RecordFilter } from '../../records/filter.ts';
import { isRecorded } from './recordable.ts';

type Definitions = readonly DestinationDefinition[];

/** A batch as reads show it. */
export function batchView(definitions: Definitions, batch: Batch, vocabulary: Vocabulary): object {
  const { outcomes, marked, settled, total, limit_count } = batch;
  const wanted = Math.min(total, limit_count ?? total);
  const isOver = batch.state !== 'running';
  const byKind = outcomes.failed;
  const failed = Object.values(byKind).reduce((sum, count) => sum + count, 0);
  return {
    id: batch.id,
    action: batch.action,
    state: batch.state,
    filter: shownFilter(definitions, batch.filter, vocabulary),
    updated_before: batch.updated_before?.toISOString() ?? null,
    limit: limit_count,
    rate: batch.rate,
    total,
    total_is_exact: total < countedMax && !isCut(batch.action, total, limit_count),
    changed: marked,
    counts: {
      synced: outcomes.synced,
      unsynced: outcomes.unsynced,
      failed,
      pending: marked - settled,
      skipped: isOver ? Math.max(0, wanted - marked) : 0,
    },
    failed_by_kind: byKind,
    progress: batch.state === 'done' || wanted === 0 ? 1 : Math.min(1, settled / Math.max(wanted, marked)),
    created_at: batch.created_at.toISOString(),
    finished_at: batch.finished_at?.toISOString() ?? null,
    error: batch.error,
  };
}

/** Of associations that are recorded, no more than `limit` are looked for. */
const isCut = (action: BatchAction, total: number, limit: number | null): boolean =>
  isRecorded(action) && limit !== null && total >= limit;

/** The counts of a dry run. */
export function previewView(
  definitions: Definitions,
  action: BatchAction,
  { total, exact, counts }: Preview,
  limit: number | null,
  vocabulary: Vocabulary,
): object {
  return {
    dry_run: true,
    total,
    total_is_exact: exact && !isCut(action, total, limit),
    would_change: Math.min(total, limit ?? total),
    counts: counts.map(({ type, name, status, count }) => ({
      type: storedTypeIn(definitions, type, vocabulary),
      name,
      status: statusName(toStatus(status), vocabulary),
      count,
    })),
  };
}

/** The fields of the request. */
function shownFilter(definitions: Definitions, filter: RecordFilter, vocabulary: Vocabulary): object {
  const { type, name, statuses, kinds, mount, prefix, secret, rule, unconfirmed, drift, ids } = filter;
  return {
    ...(type === undefined ? {} : { type: storedTypeIn(definitions, type, vocabulary) }),
    ...(name === undefined ? {} : { name }),
    ...(statuses === undefined ? {} : { status: statuses.map((status) => statusName(status, vocabulary)) }),
    ...(kinds === undefined ? {} : { kind: kinds }),
    ...(mount === undefined ? {} : { mount }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(secret === undefined ? {} : { secret }),
    ...(rule === undefined ? {} : { rule }),
    ...(unconfirmed === undefined ? {} : { unconfirmed }),
    ...(drift === undefined ? {} : { drift }),
    ...(ids === undefined ? {} : { ids }),
  };
}
