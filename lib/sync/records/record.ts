import { type RawBuilder, sql } from 'kysely';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { associationsTable } from '#store/tables/sync.ts';
import { unmarkedSince } from '../marking/begin.ts';
import { recordColumns } from '../model/finish.ts';

/** Ids are numbers of the store, as texts; 18 digits fit in its type. */
export const isRecordId = (text: string): boolean => /^\d{1,18}$/.test(text);

/** An association with its destination, as lists show it. */
export type ListedRecord = RowOf<typeof listedRecordColumns>;

export const listedRecordColumns = {
  ...pick(
    associationsTable,
    'id',
    'type',
    'mount_id',
    'mount_path',
    'mount_accessor',
    'secret_name',
    'granularity',
    'desired',
  ),
  ...pick(
    associationsTable,
    'status',
    'attempts',
    'generation',
    'observed_generation',
    'updated_at',
    'recheck_at',
    'drift',
    'drift_at',
  ),
  ...recordColumns,
  destination_name: text,
  /** The standing rule that made it; null when a request did. */
  rule_name: nullable(text),
  /** Always in the future; null when no attempt is planned or one is due now. */
  next_attempt_at: nullable(timestamptz),
  unconfirmed: bool,
  /** Since when a change waits to be synced; null when it is in line. */
  pending_since: nullable(timestamptz),
  unmarked_since: nullable(timestamptz),
};

/** The columns of `ListedRecord`, of `a` (associations) and `d` (its destination). */
export const selectRecord: RawBuilder<unknown> = sql`
  a.id, a.type, a.mount_id, a.mount_path, a.mount_accessor, a.secret_name, a.granularity, a.desired, a.status, a.attempts,
  a.generation, a.observed_generation, a.updated_at, a.recheck_at, a.drift, a.drift_at, a.error, a.records, d.name as destination_name,
  case when a.next_attempt_at > now() then a.next_attempt_at end as next_attempt_at,
  a.unconfirmed_at is not null as unconfirmed,
  case when a.generation > a.observed_generation then a.dirty_since end as pending_since,
  ${unmarkedSince('a')} as unmarked_since,
  (select r.name from sync_rules r where r.id = a.rule_id) as rule_name`;

/** The record as it will read once the change of its destination or mount has been marked. */
export const asMarked = (record: ListedRecord): ListedRecord =>
  record.unmarked_since === null ? record : { ...record, ...startedAfresh, ...since(record.unmarked_since, record) };

const startedAfresh = { status: 'PENDING', attempts: 0, next_attempt_at: null };

const since = (unmarked: Date, { updated_at, pending_since }: ListedRecord) => ({
  updated_at: unmarked > updated_at ? unmarked : updated_at,
  pending_since: pending_since ?? unmarked,
});
