import type { Vocabulary } from '../../../path/contract/request.ts';
import { statusName } from '../../../path/vocabulary.ts';
import { toStatus } from '../../status.ts';
import { asSegment, withOwnKeys } from './record-keys.ts';
import type { SyncError, SyncRecord } from './tables.ts';

/** An association as the reads need it. */
export interface AssociationRecord {
  readonly type: string;
  readonly destination_name: string;
  readonly mount_path: string;
  readonly mount_accessor: string;
  readonly secret_name: string;
  readonly granularity: string;
  readonly desired: 'present' | 'absent';
  readonly status: string;
  readonly error: SyncError | null;
  readonly records: readonly SyncRecord[];
  readonly attempts: number;
  /** In the future; null: none, or as soon as it can be made. */
  readonly next_attempt_at: Date | null;
  readonly updated_at: Date;
}

/** One entry of `associated_secrets` or `associated_destinations`. */
interface Shown {
  readonly subKey: string;
  readonly fields: ReturnType<typeof fieldsOf>;
}

/** One record per object; an association that has none yet, or no longer, is one record. */
export function shownRecords(association: AssociationRecord, vocabulary: Vocabulary): readonly Shown[] {
  const records = association.records.length > 0 ? association.records : [placeholder(association)];
  // A change that no worker has tried yet makes every record out of date, its error included.
  const untried = toStatus(association.status) === 'PENDING' && association.attempts === 0;
  return records.map((record) => {
    const shown = untried ? { ...record, ...startedAfresh(association) } : record;
    const next = untried ? null : association.next_attempt_at;
    return { subKey: record.sub_key, fields: fieldsOf({ ...association, next_attempt_at: next }, shown, vocabulary) };
  });
}

const startedAfresh = ({ updated_at }: AssociationRecord) => ({
  status: 'PENDING',
  error: null,
  updated_at: updated_at.toISOString(),
});

function fieldsOf(association: AssociationRecord, record: SyncRecord, vocabulary: Vocabulary) {
  return {
    accessor: association.mount_accessor,
    mount: association.mount_path.replace(/\/$/, ''),
    secret_name: association.secret_name,
    sub_key: record.sub_key,
    external_name: record.external_name,
    sync_status: statusName(toStatus(record.status), vocabulary),
    updated_at: record.updated_at,
    attempts: association.attempts,
    next_attempt_at: association.next_attempt_at?.toISOString() ?? null,
    error: record.error,
  };
}

function placeholder(association: AssociationRecord): SyncRecord {
  const { status, error, updated_at } = association;
  return { sub_key: '', external_name: '', status, error, updated_at: updated_at.toISOString() };
}

/**
 * `associated_secrets` of a destination, keyed by accessor, secret name and, with granularity `secret-key`, key. An
 * association keeps its granularity when the destination's changes, so key `x` of `col` may stand beside `col/x` as a
 * whole: that one has the plain key.
 */
export function associatedSecrets(associations: readonly AssociationRecord[], vocabulary: Vocabulary): object {
  const shown = associations.flatMap((association) => shownRecords(association, vocabulary));
  const counters: Record<string, number> = {};
  for (const { fields } of shown) counters[fields.sync_status] = (counters[fields.sync_status] ?? 0) + 1;
  const [wholes, keys] = [shown.filter(({ subKey }) => subKey === ''), shown.filter(({ subKey }) => subKey !== '')];
  const secrets = withOwnKeys([...wholes, ...keys].map((record) => [keyOf(record), record.fields]));
  return { associated_secrets: secrets, sync_operation_counters: counters };
}

function keyOf({ subKey, fields: { accessor, secret_name } }: Shown): string {
  const name = `${accessor}/${secret_name}`;
  return subKey === '' ? name : `${name}/${asSegment(subKey)}`;
}
