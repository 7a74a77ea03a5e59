import { sql } from 'kysely';
import { notFound } from '#core/errors.ts';
import { Secret } from '#core/secret.ts';
import type { Page } from '#path/listing.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { partialJsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { userpassUsersTable } from '#store/tables/logins.ts';
import { newTokenSettings, type TokenSettings, tokenSettings } from '../../login/role/settings.ts';
import { costOf } from './hashing.ts';

/** A stored user. */
export interface User {
  /** Hash of the password. Undefined for a user that is being created. */
  readonly password: Secret | undefined;
  readonly settings: TokenSettings;
}

/** Identifies a user. */
export interface UserKey {
  readonly mountId: string;
  readonly name: string;
}

/** A row, with the sealed password. */
type UserRow = RowOf<typeof userColumns>;

export const userColumns = { ...pick(userpassUsersTable, 'password'), settings: partialJsonOf(tokenSettings) };

export async function findUser({ db, barrier }: Store, key: UserKey): Promise<User | undefined> {
  const { rows } = await rowsOf(userColumns)`
    select password, settings from userpass_users
     where mount_id = ${key.mountId}::uuid and name = ${key.name}`.execute(db);
  const [row] = rows;
  return row && opened(barrier, key, row);
}

/**
 * Writes the user that `change` makes of the present one, under a lock. If `change` throws, nothing changes.
 *
 * @throws AppError `not-found` when the mount was deleted
 */
export function changeUser(
  store: Store,
  key: UserKey,
  change: (before: User) => User & { readonly password: Secret },
): Promise<void> {
  return store.transaction(async (tx) => {
    const found = await rowsOf(userColumns)`
      select password, settings from userpass_users
       where mount_id = ${key.mountId}::uuid and name = ${key.name} for update`.execute(tx);
    const [row] = found.rows;
    const before = (row && opened(store.barrier, key, row)) ?? { password: undefined, settings: newTokenSettings };
    const { password, settings } = change(before);
    const sealed = store.barrier.seal(password.reveal(), aad(key));
    const { rows } = await sql`
      insert into userpass_users (mount_id, name, password, cost, settings, updated_at)
      select id, ${key.name}, ${sealed}, ${costOf(password)}, ${JSON.stringify(settings)}::jsonb, now() from mounts
       where id = ${key.mountId}::uuid for key share
          on conflict (mount_id, name) do update
         set password = excluded.password, cost = excluded.cost, settings = excluded.settings, updated_at = excluded.updated_at
      returning 1`.execute(tx);
    if (rows.length === 0) throw notFound();
  });
}

/** Stores the cost of a hash that was written before costs were stored. */
export async function keepCost({ db }: Store, { mountId, name }: UserKey, cost: number): Promise<void> {
  await sql`
    update userpass_users set cost = ${cost}
     where mount_id = ${mountId}::uuid and name = ${name} and cost is null`.execute(db);
}

export async function deleteUser({ db }: Store, { mountId, name }: UserKey): Promise<void> {
  await sql`delete from userpass_users where mount_id = ${mountId}::uuid and name = ${name}`.execute(db);
}

/** Names of users after a name, in byte order. */
export async function userNames({ db }: Store, mountId: string, { after, limit }: Page): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from userpass_users where mount_id = ${mountId}::uuid and name > ${after}
     order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

const aad = ({ mountId, name }: UserKey): string => `userpass_users/${mountId}/${name}`;

export const opened = (barrier: Store['barrier'], key: UserKey, row: UserRow): User => ({
  password: new Secret(barrier.open(row.password, aad(key)).toString()),
  settings: { ...newTokenSettings, ...row.settings },
});
