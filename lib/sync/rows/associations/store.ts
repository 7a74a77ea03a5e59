import { type RawBuilder, sql } from 'kysely';
import { bool, nullable, timestamptz, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { unmarkedSince } from '../../marking/begin.ts';
import { isPaused } from '../../model/pause.ts';
import { isRemnant } from '../../model/status.ts';
import { shownMax } from '../fields/pages.ts';
import { type AssociationRecord, associationRecordColumns } from './view.ts';

/** Truncates rows that were loaded with a limit of one more than a reply shows, and warns if there are more. */
export function truncated<R>(rows: readonly R[], what: string, warn: (message: string) => void): readonly R[] {
  if (rows.length <= shownMax) return rows;
  warn(`this shows and counts only the first ${shownMax} ${what}: there are more`);
  return rows.slice(0, shownMax);
}

/** Selects associations: a condition on `a` (associations) and `d` (destinations), and the order of the index it uses. */
export interface AssociationSelection {
  readonly where: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
}

/** Loads at most one association more than a reply shows. */
export async function loadAssociations(
  store: Store,
  { where, order }: AssociationSelection,
  size = shownMax,
): Promise<readonly (AssociationRecord & { readonly mount_id: string })[]> {
  const columns = { ...associationRecordColumns, mount_id: uuid, unmarked_since: nullable(timestamptz) };
  const { rows } = await rowsOf(columns)`
    select a.type, d.name as destination_name, a.mount_id, a.mount_path, a.mount_accessor, a.secret_name, a.granularity, a.desired,
           a.status, a.error, a.records, a.attempts, a.updated_at, a.recheck_at,
           a.unconfirmed_at is not null as unconfirmed, ${unmarkedSince('a')} as unmarked_since,
           case when a.next_attempt_at > now() then a.next_attempt_at end as next_attempt_at
      from associations a join destinations d on d.id = a.destination_id
     where ${where} and not ${isRemnant('a')} order by ${order} limit ${size + 1}`.execute(store.db);
  return rows.map(({ unmarked_since, ...row }) => (unmarked_since === null ? row : startedAfresh(row, unmarked_since)));
}

/** The association as it will read once its page has been marked. */
const startedAfresh = <R extends AssociationRecord>(row: R, since: Date): R => ({
  ...row,
  status: 'PENDING',
  attempts: 0,
  next_attempt_at: null,
  updated_at: since > row.updated_at ? since : row.updated_at,
});

/** The order is that of the index: any other would sort or read the whole table. */
export const ofDestination = (id: string): AssociationSelection => ({
  where: sql`a.destination_id = ${id}::bigint`,
  order: sql`a.destination_id, a.mount_id, a.secret_name`,
});

/** The same from after a secret on. */
export const ofDestinationAfter = (id: string, after: SecretPosition): AssociationSelection => ({
  where: sql`a.destination_id = ${id}::bigint and (a.mount_id, a.secret_name) > (${after.mountId}::uuid, ${after.secretName})`,
  order: sql`a.destination_id, a.mount_id, a.secret_name`,
});

/** Where a page of secrets begins: directly after this secret. */
export interface SecretPosition {
  readonly mountId: string;
  readonly secretName: string;
}

export const withIds = (ids: readonly string[]): AssociationSelection => ({
  where: sql`a.id = any(${ids}::bigint[])`,
  order: sql`a.id`,
});

/** The maximum depth at which the path of a mount may end within a path. */
const mountDepthMax = 64;

/** The associations of the secret at this path, wherever the path of its mount ends. @param secretName as the caller splits it */
export function ofPath(namespaceId: string, whole: string, secretName: string): AssociationSelection {
  const segments = whole.split('/');
  const depths = Math.min(segments.length - 1, mountDepthMax);
  // All possible names of the secret, so that the index on names can be used.
  const names = [secretName, ...Array.from({ length: depths }, (_, index) => segments.slice(index + 1).join('/'))];
  return {
    where: sql`d.namespace_id = ${namespaceId} and a.mount_path || a.secret_name = ${whole} and a.secret_name = any(${names}::text[])`,
    order: sql`a.id`,
  };
}

/** Whether this generation is finished, the association no longer exists, or a pause keeps the workers away. */
export async function isSettled(store: Store, id: string, generation: number): Promise<boolean> {
  const { rows } = await rowsOf({ open: bool })`
    select not ${isPaused('c')} and exists(
             select 1 from associations a join destinations d on d.id = a.destination_id
              where a.id = ${id}::bigint and observed_generation < ${generation} and not ${isPaused('d')}) as open
      from sync_config c where c.id = 1`.execute(store.db);
  return rows[0]?.open !== true;
}
