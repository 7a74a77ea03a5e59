import { type RawBuilder, sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { generatedMark, type LoginName } from './aliases.ts';
import type { LockoutRule } from './settings.ts';

type Reach = Pick<Store, 'db'>;

/** The user or role whose failures are counted. */
export interface Counted extends LoginName {
  /** Whether the user or role exists. */
  readonly isKnown: boolean;
}

const aliasOf = ({ isKnown, known, unknown }: Counted): string => (isKnown ? known : unknown);

/** A column that is true when failures of an alias are counted. */
export const failuresOf = (mountId: RawBuilder<unknown>, alias: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from login_failures f where f.mount_id = ${mountId} and f.alias = ${alias})`;

/** A column that is true when logins with an alias are refused; for the alias `flood`, when a part has too many names. */
export const lockedOut = (mountId: RawBuilder<unknown>, alias: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from login_failures f
               where f.mount_id = ${mountId} and f.alias = ${alias} and f.locked_until > now())`;

/** Reads whether failures of a user are counted. Concurrent reads share a statement. */
export const failuresFinder = ({ db }: Reach): ((who: Counted) => Promise<boolean>) =>
  coalesce(
    async (all: readonly Counted[]) => {
      const asked = all.map((who, n) => ({ n, mount_id: who.mountId, alias: aliasOf(who) }));
      const { rows } = await rowsOf({ n: int })`
        select i.n from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, alias text)
         where ${failuresOf(sql`i.mount_id`, sql`i.alias`)}`.execute(db);
      const found = new Set(rows.map(({ n }) => n));
      return all.map((_, n) => found.has(n));
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );

/**
 * Counts wrong credentials. False when the name is locked out by now, or when its part of the mount has too many names; the caller must
 * then not reveal whether the credentials were correct.
 *
 * Each part holds a limited number of names, existing or not. A new name in a full part floods it: until the counts have expired, all
 * wrong credentials in the part get the same reply, while existing names are still counted. So no reply depends on whether a name
 * exists, and no number of guesses makes room for another one.
 */
export async function countFailure({ db }: Reach, who: Counted, rule: CountRule): Promise<boolean> {
  const { threshold, seconds, resetSeconds, namesMax } = rule;
  const lasting = sql`make_interval(secs => greatest(${seconds}::int, ${resetSeconds}::int))`;
  const ofMount = sql`f.mount_id = ${who.mountId}::uuid`;
  const { rows } = await rowsOf({ allowed: bool })`
    with before as (
      select exists (select from login_failures f where ${ofMount} and f.alias = ${aliasOf(who)} and f.forget_at > now()) as is_there,
             exists (select from login_failures f where ${ofMount} and f.alias = ${who.flood} and f.locked_until > now()) as flooded,
             (select count(*) from (select from login_failures f
                where ${ofMount} and f.part = ${who.part} and f.forget_at > now() limit ${namesMax}) names) >= ${namesMax} as is_full
    ), part as (select *, flooded or (is_full and not is_there) as floods from before
    ), counted as (
      insert into login_failures as f (namespace_id, mount_id, alias, part, failures, failed_at, locked_until, forget_at)
      select m.namespace_id, m.id, ${aliasOf(who)}, ${who.part}, 1, now(),
             case when ${threshold}::int <= 1 then now() + make_interval(secs => ${seconds}::int) end, now() + ${lasting}
        from mounts m, part
       where m.id = ${who.mountId}::uuid and (${who.isKnown} or is_there or not floods)
          on conflict (mount_id, alias) do update set
             failures = ${counted(resetSeconds)},
             failed_at = excluded.failed_at,
             locked_until = case when ${counted(resetSeconds)} >= ${threshold}::int
                                 then excluded.failed_at + make_interval(secs => ${seconds}::int) end,
             forget_at = excluded.forget_at
       where f.locked_until is null or f.locked_until <= now()
      returning 1
    ), flooded as (
      -- Always after the other row, which prevents deadlocks, and at most once a minute, since the whole part shares this row.
      insert into login_failures as f (namespace_id, mount_id, alias, part, failures, failed_at, locked_until, forget_at)
      select m.namespace_id, m.id, ${who.flood}, ${who.part}, 0, now(), now() + ${lasting} + ${floodRenewed}, now() + ${lasting} + ${floodRenewed}
        from mounts m, part
       where m.id = ${who.mountId}::uuid and floods and (select count(*) from counted) >= 0
          on conflict (mount_id, alias) do update set locked_until = excluded.locked_until, forget_at = excluded.forget_at
       where f.locked_until < now() + ${lasting}
      returning 1
    )
    select exists (select from counted) and not floods as allowed from part where (select count(*) from flooded) >= 0`.execute(
    db,
  );
  return rows[0]?.allowed === true;
}

/** The rule of a lockout, and the number of names in a part of a mount. */
export interface CountRule extends LockoutRule {
  readonly namesMax: number;
}

const floodRenewed = sql`interval '1 minute'`;

/** The count starts over after a lockout, and after a time without failures. */
const counted = (resetSeconds: number) => sql`
  case when f.locked_until is not null or f.failed_at + make_interval(secs => ${resetSeconds}::int) < excluded.failed_at
       then 1 else least(f.failures, 1000000000) + 1 end`;

/** Resets the failures after correct credentials. False when the name was locked out meanwhile, which it stays. */
export async function countSuccess({ db }: Reach, who: Counted): Promise<boolean> {
  const [mountId, alias] = [who.mountId, aliasOf(who)];
  const { rows } = await rowsOf({ locked: bool })`
    with forgotten as (
      delete from login_failures
       where mount_id = ${mountId}::uuid and alias = ${alias} and (locked_until is null or locked_until <= now())
    )
    select true as locked from login_failures
     where mount_id = ${mountId}::uuid and alias = ${alias} and locked_until > now()`.execute(db);
  return rows.length === 0;
}

/** Ends a lockout. A user who is not locked out is a success. */
export async function unlock({ db }: Reach, namespaceId: string, accessor: string, alias: string): Promise<void> {
  await sql`
    delete from login_failures f using mounts m
     where m.id = f.mount_id and f.namespace_id = ${namespaceId} and m.accessor = ${accessor} and f.alias = ${alias}`.execute(
    db,
  );
}

/** A user or role that is locked out. */
export type LockedUser = RowOf<typeof lockedUserColumns>;

const lockedUserColumns = {
  accessor: text,
  alias: text,
};

/** Locked users in the order of mount and alias. An empty `accessor` selects all mounts of the namespace. */
export async function lockedUsers(
  { db }: Reach,
  { namespaceId, accessor, limit }: { readonly namespaceId: string; readonly accessor: string; readonly limit: number },
): Promise<readonly LockedUser[]> {
  const { rows } = await rowsOf(lockedUserColumns)`
    select m.accessor, f.alias from login_failures f join mounts m on m.id = f.mount_id
     where f.namespace_id = ${namespaceId} and f.locked_until > now() and not starts_with(f.alias, ${generatedMark}) and (${accessor} = '' or m.accessor = ${accessor})
     order by m.accessor collate "C", f.alias limit ${limit}`.execute(db);
  return rows;
}

/** Deletes at most `limit` expired counts and returns their number. */
export async function dropOldFailures({ db }: Reach, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from login_failures where (mount_id, alias) in (
      select mount_id, alias from login_failures where forget_at <= now() order by forget_at limit ${limit}
         for update skip locked)
    returning 1`.execute(db);
  return rows.length;
}
