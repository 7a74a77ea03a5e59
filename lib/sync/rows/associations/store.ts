import { type RawBuilder, sql } from 'kysely';
import { rootNamespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import { unmarkedSince } from '../../marking/unmarked.ts';
import { isRemnant } from '../../recheck/remnant.ts';
import type { AssociationRecord } from './view.ts';

/** Reads that answer more than one association are cut here, and say so; nobody can look at more. */
export const associationsMax = 100_000;

/** The first of a reply's rows, of which one more than it may show was asked for. */
export function cut<R>(rows: readonly R[], what: string, warn: (message: string) => void): readonly R[] {
  if (rows.length <= associationsMax) return rows;
  warn(`this shows, and counts, the first ${associationsMax} ${what}: there are more`);
  return rows.slice(0, associationsMax);
}

/** Which associations: a condition on `a` (associations) and `d` (destinations), and the order that its index has. */
export interface Which {
  readonly where: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
}

/** One more than a reply shows, if there are so many. */
export async function loadAssociations(store: Store, { where, order }: Which): Promise<readonly AssociationRecord[]> {
  const { rows } = await sql<AssociationRecord & { readonly unmarked_since: Date | null }>`
    select a.type, d.name as destination_name, a.mount_path, a.mount_accessor, a.secret_name, a.granularity, a.desired,
           a.status, a.error, a.records, a.attempts, a.updated_at, ${unmarkedSince('a')} as unmarked_since,
           case when a.next_attempt_at > now() then a.next_attempt_at end as next_attempt_at
      from associations a join destinations d on d.id = a.destination_id
     where ${where} and not ${isRemnant('a')} order by ${order} limit ${associationsMax + 1}`.execute(store.db);
  return rows.map(({ unmarked_since, ...row }) => (unmarked_since === null ? row : startedAfresh(row, unmarked_since)));
}

/** As it will be when its page has been marked. */
const startedAfresh = (row: AssociationRecord, since: Date): AssociationRecord => ({
  ...row,
  status: 'PENDING',
  attempts: 0,
  next_attempt_at: null,
  updated_at: since > row.updated_at ? since : row.updated_at,
});

/** Any other order would have the whole table sorted, or read, for one page. */
export const ofDestination = (id: string): Which => ({
  where: sql`a.destination_id = ${id}::bigint`,
  order: sql`a.destination_id, a.mount_id, a.secret_name`,
});

export const withIds = (ids: readonly string[]): Which => ({
  where: sql`a.id = any(${ids}::bigint[])`,
  order: sql`a.id`,
});

/** So deep, a mount is looked for in a path. */
const mountDepthMax = 64;

/** Of the secret with this path in the namespace, wherever in it the mount's path ends; `secretName` is where the caller thinks it does. */
export function ofPath(namespaceId: string, whole: string, secretName: string): Which {
  const segments = whole.split('/');
  const depths = Math.min(segments.length - 1, mountDepthMax);
  // What the secret's name may be, so that the index on it can be used.
  const names = [secretName, ...Array.from({ length: depths }, (_, index) => segments.slice(index + 1).join('/'))];
  return {
    where: sql`d.namespace_id = ${namespaceId} and a.mount_path || a.secret_name = ${whole} and a.secret_name = any(${names}::text[])`,
    order: sql`a.id`,
  };
}

export interface ListedSecret {
  readonly mount_path: string;
  readonly secret_name: string;
  /** Of its associations. */
  readonly count: number;
}

/** Secrets of a namespace that have associations; one more than a reply shows, if there are so many. */
export async function listSecrets({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<readonly ListedSecret[]> {
  const { rows } = await sql<ListedSecret>`
    select min(a.mount_path) as mount_path, a.secret_name, count(*)::int as count
      from ${namespaceId === rootNamespace.id ? ofRoot : ofNamespace(namespaceId)}
     where not ${isRemnant('a')} group by a.secret_name, a.mount_id order by a.secret_name, a.mount_id
     limit ${associationsMax + 1}::int`.execute(db);
  return rows;
}

/** Most are the root's: an index has them in the order of the list. */
const ofRoot = sql`associations a join destinations d on d.id = a.destination_id and d.namespace_id = ${sql.lit(rootNamespace.id)}`;

/** By their destinations, whatever the planner thinks: in the order of the list all associations of the installation would be read. */
const ofNamespace = (id: string): RawBuilder<unknown> => sql`
  (select id from destinations where namespace_id = ${id} offset 0) d
    cross join lateral (select * from associations where destination_id = d.id offset 0) a`;

/** Whether a worker is through with this generation, or the association is no more, or no worker will come: the sync is disabled. */
export async function isSettled(store: Store, id: string, generation: number): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select not c.disabled and exists(
             select 1 from associations where id = ${id}::bigint and observed_generation < ${generation}) as open
      from sync_config c where c.id = 1`.execute(store.db);
  return rows[0]?.open !== true;
}
