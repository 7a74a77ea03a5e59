import type { Vocabulary } from '../../path/row.ts';
import { statusName } from '../../path/vocabulary.ts';
import type { SyncError, SyncRecord } from '../../store/tables.ts';
import { toStatus } from '../status.ts';

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
  readonly next_attempt_at: Date | null;
  readonly updated_at: Date;
}

/** One entry of `associated_secrets` or `associated_destinations`. */
interface Shown {
  readonly subKey: string;
  readonly fields: object;
}

/** One record per object; an association that has none yet, or no longer, is one record. */
export function shownRecords(association: AssociationRecord, vocabulary: Vocabulary): readonly Shown[] {
  const records = association.records.length > 0 ? association.records : [placeholder(association)];
  const pending = toStatus(association.status) === 'PENDING';
  return records.map((record) => {
    // A change that no worker has seen yet makes every record of it out of date.
    const status = pending && record.error === null ? 'PENDING' : toStatus(record.status);
    return { subKey: record.sub_key, fields: fieldsOf(association, record, statusName(status, vocabulary)) };
  });
}

function fieldsOf(association: AssociationRecord, record: SyncRecord, sync_status: string): object {
  return {
    accessor: association.mount_accessor,
    mount: association.mount_path.replace(/\/$/, ''),
    secret_name: association.secret_name,
    sub_key: record.sub_key,
    external_name: record.external_name,
    sync_status,
    updated_at: association.records.length > 0 ? record.updated_at : association.updated_at.toISOString(),
    attempts: association.attempts,
    next_attempt_at: association.next_attempt_at?.toISOString() ?? null,
    error: record.error,
  };
}

function placeholder(association: AssociationRecord): SyncRecord {
  const { status, error, updated_at } = association;
  return { sub_key: '', external_name: '', status, error, updated_at: updated_at.toISOString() };
}

/** `associated_secrets` of a destination, keyed by accessor, secret name and, with granularity `secret-key`, key. */
export function associatedSecrets(associations: readonly AssociationRecord[], vocabulary: Vocabulary): object {
  const secrets: Record<string, object> = {};
  const counters: Record<string, number> = {};
  for (const association of associations) {
    for (const { subKey, fields } of shownRecords(association, vocabulary)) {
      const name = `${association.mount_accessor}/${association.secret_name}`;
      secrets[subKey === '' ? name : `${name}/${subKey}`] = fields;
      const status = (fields as { sync_status: string }).sync_status;
      counters[status] = (counters[status] ?? 0) + 1;
    }
  }
  return { associated_secrets: secrets, sync_operation_counters: counters };
}
