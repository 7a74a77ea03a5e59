import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { statusName } from '#path/vocabulary.ts';
import { storedTypeIn } from '../../model/definition.ts';
import { toStatus } from '../../model/status.ts';
import type { ListedAttempt } from '../../records/history.ts';
import type { ListedRecord } from '../../records/record.ts';
import { withRemedy } from '../../records/remedies.ts';
import { isNotAttempted, shownRecords } from '../associations/view.ts';

/** A record as the reads of `sys/sync/records` show it. */
export function recordView(
  definitions: readonly DestinationDefinition[],
  record: ListedRecord,
  vocabulary: Vocabulary,
): object {
  const fresh = isNotAttempted(record);
  return {
    id: record.id,
    destination: { type: storedTypeIn(definitions, record.type, vocabulary), name: record.destination_name },
    mount: record.mount_path.replace(/\/$/, ''),
    accessor: record.mount_accessor,
    secret_name: record.secret_name,
    granularity: record.granularity,
    desired: record.desired,
    rule: record.rule_name,
    status: statusName(toStatus(record.status), vocabulary),
    error: fresh ? null : withRemedy(record.error),
    attempts: record.attempts,
    next_attempt_at: fresh ? null : asTime(record.next_attempt_at),
    pending_since: asTime(record.pending_since),
    generation: record.generation,
    observed_generation: record.observed_generation,
    updated_at: record.updated_at.toISOString(),
    unconfirmed: record.unconfirmed,
    recheck_at: asTime(record.recheck_at),
    drift: record.drift,
    drift_at: asTime(record.drift_at),
    entries: entriesOf(record, vocabulary),
  };
}

/** One entry per object; none before the first attempt. */
const entriesOf = (record: ListedRecord, vocabulary: Vocabulary): readonly object[] =>
  record.records.length === 0
    ? []
    : shownRecords(record, vocabulary).map(({ subKey, fields }) => ({
        sub_key: subKey,
        external_name: fields.external_name,
        status: fields.sync_status,
        error: withRemedy(fields.error),
        updated_at: fields.updated_at,
      }));

/** An attempt as the history of a record shows it. */
export const attemptView = (attempt: ListedAttempt): object => ({
  ended_at: attempt.ended_at.toISOString(),
  duration_ms: attempt.duration_ms,
  calls: attempt.calls,
  outcome: attempt.outcome,
  error: withRemedy(attempt.error),
  external_request_id: attempt.request_id,
  generation: attempt.generation,
});

const asTime = (time: Date | null): string | null => time?.toISOString() ?? null;
