import { type Kysely, sql } from 'kysely';
import { badField, notFound } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import type { Page } from '#path/listing.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { partialJsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { approleRolesTable } from '#store/tables/logins.ts';
import type { Database } from '#store/tables.ts';
import { newRoleSettings, type Role, roleSettings } from './role.ts';

/** Identifies a role. */
export interface RoleKey {
  readonly mountId: string;
  readonly name: string;
}

type RoleRow = RowOf<typeof roleColumns>;

export const roleColumns = {
  ...pick(approleRolesTable, 'id', 'name', 'role_id'),
  settings: partialJsonOf(roleSettings),
};

export const roleOf = ({ id, name, role_id, settings }: RoleRow): Role => ({
  id,
  name,
  roleId: role_id,
  settings: { ...newRoleSettings, ...settings },
});

export async function findRole(db: Kysely<Database>, { mountId, name }: RoleKey): Promise<Role | undefined> {
  const { rows } = await rowsOf(roleColumns)`
    select id, name, role_id, settings from approle_roles
     where mount_id = ${mountId}::uuid and name = ${name}`.execute(db);
  return rows[0] && roleOf(rows[0]);
}

/** The name of the role with a role id. Undefined when the mount has no such role. */
export async function nameOfRoleId(db: Kysely<Database>, mountId: string, roleId: string): Promise<string | undefined> {
  // PostgreSQL cannot compare with U+0000.
  if (roleId.includes('\0')) return undefined;
  const { rows } = await rowsOf({ name: text })`
    select name from approle_roles where mount_id = ${mountId}::uuid and role_id = ${roleId}`.execute(db);
  return rows[0]?.name;
}

export type RoleChange = Pick<Role, 'settings'> & { readonly roleId?: string | undefined };

/**
 * Writes the role that `change` makes of the present one, under a lock. If `change` throws, nothing changes.
 *
 * @throws AppError `bad-request` when another role of the mount has the role id, `not-found` when the mount was deleted
 */
export function changeRole(
  store: Store,
  { mountId, name }: RoleKey,
  change: (before: Role | undefined) => RoleChange,
): Promise<void> {
  return store.transaction(async (tx) => {
    // Writes of roles of one mount wait for each other, so that each role id is unique.
    const mount = await sql`select 1 from mounts where id = ${mountId}::uuid for no key update`.execute(tx);
    if (mount.rows.length === 0) throw notFound();
    const before = await findRole(tx, { mountId, name });
    const { settings, roleId = before?.roleId ?? uuid() } = change(before);
    const taken = await sql`
      select 1 from approle_roles
       where mount_id = ${mountId}::uuid and role_id = ${roleId} and name <> ${name}`.execute(tx);
    if (taken.rows.length > 0) throw badField('role_id', 'role_id is already in use by another role');
    await sql`
      insert into approle_roles (id, mount_id, name, role_id, settings, updated_at)
      values (${uuid()}::uuid, ${mountId}::uuid, ${name}, ${roleId}, ${JSON.stringify(settings)}::jsonb, now())
          on conflict (mount_id, name) do update
         set role_id = excluded.role_id, settings = excluded.settings, updated_at = excluded.updated_at`.execute(tx);
  });
}

/** The number of rows that one statement deletes. */
const stepSize = 1_000;
/** Bound of the steps, which no role reaches. */
const stepsMax = 1_000_000;

/** Deletes a role after its secret ids, in bounded steps. After an interruption the next call continues. */
export async function deleteRole({ db }: Pick<Store, 'db'>, key: RoleKey, signal: AbortSignal): Promise<void> {
  const role = await findRole(db, key);
  if (role === undefined) return;
  for (let steps = 0; steps < stepsMax && !signal.aborted; steps += 1) {
    const { rows } = await sql`
      delete from approle_secret_ids where (role, hash) in (
        select role, hash from approle_secret_ids where role = ${role.id}::uuid limit ${stepSize})
      returning 1`.execute(db);
    if (rows.length < stepSize) break;
  }
  signal.throwIfAborted();
  await sql`delete from approle_roles where id = ${role.id}::uuid`.execute(db);
}

/** Names of roles after a name, in byte order. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  mountId: string,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from approle_roles where mount_id = ${mountId}::uuid and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
