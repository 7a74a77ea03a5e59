import { type RawBuilder, sql } from 'kysely';
import { rootNamespace } from '#core/namespace.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable, text, timestamptz, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { unmarkedSince } from '../../marking/begin.ts';
import { isPaused } from '../../model/pause.ts';
import { isRemnant } from '../../model/status.ts';
import { shownMax } from '../pages.ts';
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

export type ListedSecret = RowOf<typeof listedSecretColumns>;

const listedSecretColumns = {
  mount_id: uuid,
  mount_path: text,
  secret_name: text,
  /** The number of its associations. */
  count: int,
};

/** Secrets of a namespace that have associations, at most one more than a reply shows. */
export async function listSecrets(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, size = shownMax }: { readonly after?: SecretPosition | undefined; readonly size?: number } = {},
): Promise<readonly ListedSecret[]> {
  const from =
    after === undefined ? sql`true` : sql`(a.secret_name, a.mount_id) > (${after.secretName}, ${after.mountId}::uuid)`;
  const ofRoot = size < shownMax ? partOfRoot : wholeRoot;
  const { rows } = await rowsOf(listedSecretColumns)`
    select a.mount_id, min(a.mount_path) as mount_path, a.secret_name, count(*)::int as count
      from ${namespaceId === rootNamespace.id ? ofRoot : ofNamespace(namespaceId)}
     where not ${isRemnant('a')} and ${from}
     group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id
     limit ${size + 1}::int`.execute(db);
  return rows;
}

/** Most associations are in the root namespace, where an index has them in the order of the list. */
const wholeRoot = sql`associations a join destinations d on d.id = a.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)}`;

/** The offset keeps the planner from joining, after which it would have to read and sort all that follows the page. */
const partOfRoot = sql`
  (select * from associations one
    where exists (select 1 from destinations d
                   where d.id = one.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)} offset 0)) a`;

/** Forces the planner to start from the destinations: in the order of the list it would read the associations of all namespaces. */
const ofNamespace = (id: string): RawBuilder<unknown> => sql`
  (select id from destinations where namespace_id = ${id} offset 0) d
    cross join lateral (select * from associations where destination_id = d.id offset 0) a`;

/** Whether this generation is finished, the association no longer exists, or a pause keeps the workers away. */
export async function isSettled(store: Store, id: string, generation: number): Promise<boolean> {
  const { rows } = await rowsOf({ open: bool })`
    select not ${isPaused('c')} and exists(
             select 1 from associations a join destinations d on d.id = a.destination_id
              where a.id = ${id}::bigint and observed_generation < ${generation} and not ${isPaused('d')}) as open
      from sync_config c where c.id = 1`.execute(store.db);
  return rows[0]?.open !== true;
}
