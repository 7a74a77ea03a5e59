import { type Kysely, sql } from 'kysely';
import { badRequest, notFound } from '../../../core/errors.ts';
import { uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { newRoleSettings, type Role, type RoleSettings } from './role.ts';

/** Which role of which mount. */
export interface RoleKey {
  readonly mountId: string;
  readonly name: string;
}

export interface RoleRow {
  readonly id: string;
  readonly name: string;
  readonly role_id: string;
  readonly settings: Partial<RoleSettings>;
}

export const roleOf = ({ id, name, role_id, settings }: RoleRow): Role => ({
  ...{ id, name, roleId: role_id },
  settings: { ...newRoleSettings, ...settings },
});

export async function findRole(db: Kysely<Database>, { mountId, name }: RoleKey): Promise<Role | undefined> {
  const { rows } = await sql<RoleRow>`
    select id, name, role_id, settings from approle_roles
     where mount_id = ${mountId}::uuid and name = ${name}`.execute(db);
  return rows[0] && roleOf(rows[0]);
}

/** Undefined: no role of the mount has the id. */
export async function nameOfRoleId(db: Kysely<Database>, mountId: string, roleId: string): Promise<string | undefined> {
  // PostgreSQL takes no U+0000.
  if (roleId.includes('\0')) return undefined;
  const { rows } = await sql<{ name: string }>`
    select name from approle_roles where mount_id = ${mountId}::uuid and role_id = ${roleId}`.execute(db);
  return rows[0]?.name;
}

export type RoleChange = Pick<Role, 'settings'> & { readonly roleId?: string | undefined };

/**
 * Writes a role; `change` decides under a lock, from what is there. It may throw, and then nothing changes.
 *
 * @throws AppError `bad-request` when another role of the mount has the role id, `not-found` when the mount has gone
 */
export function changeRole(
  store: Store,
  { mountId, name }: RoleKey,
  change: (before: Role | undefined) => RoleChange,
): Promise<void> {
  return store.transaction(async (tx) => {
    // Roles of one mount are written one after the other, so that no role id comes twice.
    const mount = await sql`select 1 from mounts where id = ${mountId}::uuid for no key update`.execute(tx);
    if (mount.rows.length === 0) throw notFound();
    const before = await findRole(tx, { mountId, name });
    const { settings, roleId = before?.roleId ?? uuid() } = change(before);
    const taken = await sql`
      select 1 from approle_roles
       where mount_id = ${mountId}::uuid and role_id = ${roleId} and name <> ${name}`.execute(tx);
    if (taken.rows.length > 0) throw badRequest('role_id is already in use by another role');
    await sql`
      insert into approle_roles (id, mount_id, name, role_id, settings, updated_at)
      values (${uuid()}::uuid, ${mountId}::uuid, ${name}, ${roleId}, ${JSON.stringify(settings)}::jsonb, now())
          on conflict (mount_id, name) do update
         set role_id = excluded.role_id, settings = excluded.settings, updated_at = excluded.updated_at`.execute(tx);
  });
}

/** Rows of one statement. */
const stepSize = 1_000;
/** More than a role can have. */
const stepsMax = 1_000_000;

/** Removes a role: first its secret ids, in bounded steps. Cut off, the next call goes on. */
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

/** Names behind `after`, by bytes. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  mountId: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from approle_roles where mount_id = ${mountId}::uuid and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
