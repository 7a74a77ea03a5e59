import { sql } from 'kysely';
import type { Page } from '#path/listing.ts';
import { partialJsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { newRole, type RoleSettings, roleSettings, type TokenRole } from './role.ts';

const settingsColumns = { settings: partialJsonOf(roleSettings) };

/** The role with a name. Undefined when it does not exist. */
export async function findRole(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  name: string,
): Promise<TokenRole | undefined> {
  const { rows } = await rowsOf(settingsColumns)`
    select settings from token_roles where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
  const [row] = rows;
  return row && { ...newRole, ...row.settings, name };
}

/** Writes the role that `change` makes of the present one, under a lock. If `change` throws, nothing changes. */
export function changeRole(
  store: Store,
  namespaceId: string,
  name: string,
  change: (before: RoleSettings) => RoleSettings,
): Promise<void> {
  return store.transaction(async (tx) => {
    const { rows } = await rowsOf(settingsColumns)`
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

/** Names of roles after a name, in byte order. */
export async function roleNames(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from token_roles where namespace_id = ${namespaceId} and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
