import type { Vocabulary } from '#path/contract/request.ts';
import { statusName } from '#path/vocabulary.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { associationsTable } from '#store/tables/sync.ts';
import { recordColumns, type SyncRecord } from '../../model/finish.ts';
import { toStatus } from '../../model/status.ts';

/** An association as the reads need it. */
export type AssociationRecord = RowOf<typeof associationRecordColumns>;

export const associationRecordColumns = {
  ...pick(associationsTable, 'type', 'mount_path', 'mount_accessor', 'secret_name', 'granularity', 'desired', 'status'),
  ...pick(associationsTable, 'attempts', 'updated_at'),
  ...recordColumns,
  destination_name: text,
  /** Always in the future; null when no attempt is planned or one is due now. */
  next_attempt_at: nullable(timestamptz),
  recheck_at: nullable(timestamptz),
  /** A write or removal whose end was not seen may still be applied. */
  unconfirmed: bool,
};

/** One entry of `associated_secrets` or `associated_destinations`. */
interface Shown {
  readonly subKey: string;
  readonly fields: ReturnType<typeof fieldsOf>;
}

/** One record per object; an association without objects gets a single record. */
export function shownRecords(association: AssociationRecord, vocabulary: Vocabulary): readonly Shown[] {
  const records = association.records.length > 0 ? association.records : [placeholder(association)];
  const notAttempted = isNotAttempted(association);
  return records.map((record) => {
    const shown = notAttempted ? { ...record, ...startedAfresh(association) } : record;
    const next = notAttempted ? null : association.next_attempt_at;
    return { subKey: record.sub_key, fields: fieldsOf({ ...association, next_attempt_at: next }, shown, vocabulary) };
  });
}

/** A change without an attempt so far: every record is out of date, including its error. */
export const isNotAttempted = ({ status, attempts }: Pick<AssociationRecord, 'status' | 'attempts'>): boolean =>
  toStatus(status) === 'PENDING' && attempts === 0;

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
    unconfirmed: association.unconfirmed,
    recheck_at: association.recheck_at?.toISOString() ?? null,
  };
}

function placeholder(association: AssociationRecord): SyncRecord {
  const { status, error, updated_at } = association;
  return { sub_key: '', external_name: '', status, error, updated_at: updated_at.toISOString() };
}

/**
 * `associated_secrets` of a destination, keyed by accessor, secret name and, with granularity `secret-key`, key. An association
 * keeps its granularity when that of the destination changes, so key `x` of secret `col` and the whole secret `col/x` can
 * collide: the whole secret then gets the plain key.
 */
export function associatedSecrets(associations: readonly AssociationRecord[], vocabulary: Vocabulary) {
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

/** Builds a map without losing records: the first of several with one key keeps it, the others get the suffix `#2`, `#3`, … */
export function withOwnKeys(wanted: Iterable<readonly [string, object]>): Readonly<Record<string, object>> {
  const map: Record<string, object> = {};
  for (const [key, record] of wanted) map[freeKey(map, key)] = record;
  return map;
}

function freeKey(taken: object, wanted: string): string {
  let key = wanted;
  // Terminates because the map is finite.
  for (let count = 2; Object.hasOwn(taken, key); count += 1) key = `${wanted}#${count}`;
  return key;
}

/** Escapes a key of a secret as the last segment of a path, so that its slashes do not separate segments. */
const asSegment = (subKey: string): string => subKey.replaceAll('%', '%25').replaceAll('/', '%2F');
