import { sql, type Transaction } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { isStorable } from '#core/json/unstorable.ts';
import type { Page } from '#path/listing.ts';
import { bytea, int, jsonObject, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { openConfig } from './config.ts';

/** The settings of a role as `changeRole` stored them. Undefined when the role does not exist. */
export async function findRole({ db }: Pick<Store, 'db'>, mountId: string, name: string): Promise<object | undefined> {
  const { rows } = await rowsOf({ settings: jsonObject })`
    select settings from auth_roles where mount_id = ${mountId} and name = ${name}`.execute(db);
  return rows[0]?.settings;
}

/** The role of a login and the configuration of its mount. Undefined when they do not exist. */
export interface RoleAndConfig {
  readonly role: object | undefined;
  readonly config: object | undefined;
}

export type ReadRoleAndConfig = (asked: { readonly mountId: string; readonly name: string }) => Promise<RoleAndConfig>;

/** Reads the role and the configuration of a login in one statement, which concurrent logins share. */
export function roleAndConfigReader({ db, barrier }: Store): ReadRoleAndConfig {
  return coalesce(
    async (logins) => {
      // No role has a name that cannot be stored, and such a name would make the statement fail.
      const asked = logins.map(({ mountId, name }, n) => ({
        n,
        mount_id: mountId,
        name: isStorable(name) ? name : '',
      }));
      const { rows } = await rowsOf({ n: int, settings: nullable(jsonObject), config: nullable(bytea) })`
        select i.n, r.settings, c.config
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as i (n int, mount_id uuid, name text)
          left join auth_roles r on r.mount_id = i.mount_id and r.name = i.name
          left join auth_configs c on c.mount_id = i.mount_id`.execute(db);
      const found = new Map(rows.map((row) => [row.n, row]));
      return logins.map(({ mountId }, n) => {
        const { settings, config } = found.get(n) ?? { settings: null, config: null };
        return {
          role: settings ?? undefined,
          config: config === null ? undefined : openConfig(barrier, mountId, config),
        };
      });
    },
    { batchSizeMax: 64, batchesMax: 4 },
  );
}

/** Identifies a role. */
export interface RoleChange {
  readonly mountId: string;
  readonly name: string;
}

/** Writes the role that `change` makes of the present one, under a lock. If `change` throws, nothing changes. */
export function changeRole(
  store: Store,
  { mountId, name }: RoleChange,
  change: (before: object | undefined) => object,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { rows } = await rowsOf({ settings: jsonObject })`
      select settings from auth_roles where mount_id = ${mountId} and name = ${name} for update`.execute(tx);
    const settings = JSON.stringify(change(rows[0]?.settings));
    await sql`
      insert into auth_roles (mount_id, name, settings, updated_at)
      values (${mountId}, ${name}, ${settings}::jsonb, now())
      on conflict (mount_id, name) do update set settings = excluded.settings, updated_at = excluded.updated_at`.execute(
      tx,
    );
  });
}

export async function deleteRole({ db }: Pick<Store, 'db'>, mountId: string, name: string): Promise<void> {
  await sql`delete from auth_roles where mount_id = ${mountId} and name = ${name}`.execute(db);
}

/** Names of roles after a name, in byte order. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  mountId: string,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from auth_roles where mount_id = ${mountId} and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Deletes at most `limit` roles of a mount in the caller's transaction, and returns their names. */
export async function removeRoles(
  tx: Transaction<Database>,
  mountId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    delete from auth_roles where mount_id = ${mountId} and name in
      (select name from auth_roles where mount_id = ${mountId} order by name limit ${limit})
    returning name`.execute(tx);
  return rows.map(({ name }) => name);
}
