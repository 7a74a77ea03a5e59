import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { newRole, type RoleSettings, type TokenRole } from './role.ts';

/** The role of this name; undefined: there is none. */
export async function findRole(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  name: string,
): Promise<TokenRole | undefined> {
  const { rows } = await sql<{ settings: Partial<RoleSettings> }>`
    select settings from token_roles where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
  const [row] = rows;
  return row && { ...newRole, ...row.settings, name };
}

/** Writes a role; `change` decides, from what is there, under a lock. It may throw, and then nothing changes. */
export function changeRole(
  store: Store,
  namespaceId: string,
  name: string,
  change: (before: RoleSettings) => RoleSettings,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { rows } = await sql<{ settings: Partial<RoleSettings> }>`
      select settings from token_roles where namespace_id = ${namespaceId} and name = ${name} for update`.execute(tx);
    const settings = JSON.stringify(change({ ...newRole, ...rows[0]?.settings }));
    await sql`
      insert into token_roles (namespace_id, name, settings, updated_at)
      values (${namespaceId}, ${name}, ${settings}::jsonb, now())
      on conflict (namespace_id, name) do update set settings = excluded.settings, updated_at = excluded.updated_at`.execute(
      tx,
    );
  });
}

export async function deleteRole({ db }: Pick<Store, 'db'>, namespaceId: string, name: string): Promise<void> {
  await sql`delete from token_roles where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
}

/** Names of roles behind `after`, by bytes. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from token_roles where namespace_id = ${namespaceId} and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
