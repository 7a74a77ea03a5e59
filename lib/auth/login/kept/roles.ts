import { sql, type Transaction } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import { isStorable } from '../../../store/postgres/storable.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { openConfig } from './config.ts';

/** The settings of a role as `changeRole` made them; undefined: there is no such role. */
export async function findRole({ db }: Pick<Store, 'db'>, mountId: string, name: string): Promise<object | undefined> {
  const { rows } = await sql<{ settings: object }>`
    select settings from auth_roles where mount_id = ${mountId} and name = ${name}`.execute(db);
  return rows[0]?.settings;
}

/** What a login needs to know of its mount; undefined: there is none. */
export interface RoleAndConfig {
  readonly role: object | undefined;
  readonly config: object | undefined;
}

export type ReadRoleAndConfig = (asked: { readonly mountId: string; readonly name: string }) => Promise<RoleAndConfig>;

/** Reads the role and the configuration of a login in one statement, which those of the same moment share. */
export function roleAndConfigReader({ db, barrier }: Store): ReadRoleAndConfig {
  return coalesce(
    async (logins) => {
      // A name that cannot be stored is that of no role, and must not fail the others.
      const asked = logins.map(({ mountId, name }, n) => ({
        n,
        mount_id: mountId,
        name: isStorable(name) ? name : '',
      }));
      const { rows } = await sql<{ n: number; settings: object | null; config: Buffer | null }>`
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

/** Which role of which mount, and the time of the change. */
export interface RoleChange {
  readonly mountId: string;
  readonly name: string;
}

/** Writes a role; `change` decides, from what is there, under a lock. It may throw, and then nothing changes. */
export function changeRole(
  store: Store,
  { mountId, name }: RoleChange,
  change: (before: object | undefined) => object,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { rows } = await sql<{ settings: object }>`
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

/** Names of roles behind `after`, by bytes. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  mountId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from auth_roles where mount_id = ${mountId} and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Removes at most so many roles of a mount that is to go, in the caller's transaction; answers their names. */
export async function removeRoles(
  tx: Transaction<Database>,
  mountId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    delete from auth_roles where mount_id = ${mountId} and name in
      (select name from auth_roles where mount_id = ${mountId} order by name limit ${limit})
    returning name`.execute(tx);
  return rows.map(({ name }) => name);
}
