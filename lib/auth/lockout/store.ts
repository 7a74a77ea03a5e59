import { type RawBuilder, sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Store } from '../../store/store.ts';
import type { LockoutRule } from './settings.ts';

type Reach = Pick<Store, 'db'>;

/** Whom a mount knows by an alias. */
export interface Somebody {
  readonly namespaceId: string;
  readonly mountId: string;
  readonly alias: string;
}

/** Whether anything is counted of an alias, as a column of a larger statement. */
export const failuresOf = (mountId: RawBuilder<unknown>, alias: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from login_failures f where f.mount_id = ${mountId} and f.alias = ${alias})`;

/** Whether somebody is locked out, as a column of a larger statement. */
export const lockedOut = (mountId: RawBuilder<unknown>, alias: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from login_failures f
               where f.mount_id = ${mountId} and f.alias = ${alias} and f.locked_until > now())`;

/** Finds out whether anything is counted of somebody; those who ask at the same moment share a statement. */
export const failuresFinder = ({ db }: Reach): ((who: Somebody) => Promise<boolean>) =>
  coalesce(
    async (all: readonly Somebody[]) => {
      const asked = all.map(({ mountId, alias }, n) => ({ n, mount_id: mountId, alias }));
      const { rows } = await sql<{ n: number }>`
        select i.n from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, alias text)
         where ${failuresOf(sql`i.mount_id`, sql`i.alias`)}`.execute(db);
      const found = new Set(rows.map(({ n }) => n));
      return all.map((_, n) => found.has(n));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );

/** Counts wrong credentials; false: somebody is locked out by now, so they were not to be looked at. */
export async function countFailure({ db }: Reach, who: Somebody, rule: LockoutRule): Promise<boolean> {
  const { threshold, seconds, resetSeconds } = rule;
  const { rows } = await sql`
    insert into login_failures as f (namespace_id, mount_id, alias, failures, failed_at, locked_until, forget_at)
    select ${who.namespaceId}, m.id, ${who.alias}, 1, now(),
           case when ${threshold}::int <= 1 then now() + make_interval(secs => ${seconds}::int) end,
           now() + make_interval(secs => greatest(${seconds}::int, ${resetSeconds}::int))
      from mounts m where m.id = ${who.mountId}::uuid
        on conflict (mount_id, alias) do update set
           failures = ${counted(resetSeconds)},
           failed_at = excluded.failed_at,
           locked_until = case when ${counted(resetSeconds)} >= ${threshold}::int
                               then excluded.failed_at + make_interval(secs => ${seconds}::int) end,
           forget_at = excluded.forget_at
     where f.locked_until is null or f.locked_until <= now()
    returning 1`.execute(db);
  return rows.length > 0;
}

/** After a lockout, and after a while without a failure, the next one is the first. */
const counted = (resetSeconds: number) => sql`
  case when f.locked_until is not null or f.failed_at + make_interval(secs => ${resetSeconds}::int) < excluded.failed_at
       then 1 else least(f.failures, 1000000000) + 1 end`;

/** Forgets the failures before right credentials; false: somebody has been locked out meanwhile, and stays so. */
export async function countSuccess({ db }: Reach, { mountId, alias }: Somebody): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    with forgotten as (
      delete from login_failures
       where mount_id = ${mountId}::uuid and alias = ${alias} and (locked_until is null or locked_until <= now())
    )
    select 1 from login_failures
     where mount_id = ${mountId}::uuid and alias = ${alias} and locked_until > now()`.execute(db);
  return rows.length === 0;
}

/** Lets somebody in again. Absent: nothing to do. */
export async function unlock({ db }: Reach, namespaceId: string, accessor: string, alias: string): Promise<void> {
  await sql`
    delete from login_failures f using mounts m
     where m.id = f.mount_id and f.namespace_id = ${namespaceId} and m.accessor = ${accessor} and f.alias = ${alias}`.execute(
    db,
  );
}

/** Who is locked out, by mount and alias. */
export interface LockedUser {
  readonly accessor: string;
  readonly alias: string;
}

/** `accessor` empty: of all mounts of the namespace. */
export async function lockedUsers(
  { db }: Reach,
  { namespaceId, accessor, limit }: { readonly namespaceId: string; readonly accessor: string; readonly limit: number },
): Promise<readonly LockedUser[]> {
  const { rows } = await sql<LockedUser>`
    select m.accessor, f.alias from login_failures f join mounts m on m.id = f.mount_id
     where f.namespace_id = ${namespaceId} and f.locked_until > now() and (${accessor} = '' or m.accessor = ${accessor})
     order by m.accessor collate "C", f.alias limit ${limit}`.execute(db);
  return rows;
}

/** Removes what says nothing any more; answers how much. */
export async function dropOldFailures({ db }: Reach, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from login_failures where (mount_id, alias) in (
      select mount_id, alias from login_failures where forget_at <= now() order by forget_at limit ${limit}
         for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}
