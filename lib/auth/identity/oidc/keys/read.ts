import { type Kysely, sql } from 'kysely';
import type { Page } from '#path/listing.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { oidcKeysTable } from '#store/tables/identity.ts';
import type { Database } from '#store/tables.ts';
import { algorithms, type KeyAt } from './version.ts';

const keyColumns = {
  ...pick(oidcKeysTable, 'rotation_period', 'verification_ttl', 'allowed_client_ids'),
  algorithm: oneOf(...algorithms),
};

/** The settings of a named key. */
export type Key = RowOf<typeof keyColumns>;

/** Every namespace has a key with this name. It is stored when it is first used. */
export const defaultKeyName = 'default';

/**
 * Signs tokens about runs of workspaces, in the root namespace. No path can have this name, and roles and clients cannot refer to it: nobody else
 * signs with it.
 */
export const workloadKeyName = 'workload/identity';

/** The settings of a new key. */
export const newKey: Key = {
  rotation_period: 86_400,
  verification_ttl: 86_400,
  allowed_client_ids: [],
  algorithm: 'RS256',
};

export const defaultKey: Key = { ...newKey, allowed_client_ids: ['*'] };

/** A key as it is stored. Undefined when it is not stored. */
export async function storedKey(
  db: Kysely<Database>,
  { namespaceId, name }: KeyAt,
  lock: 'for update' | 'for share' | 'without lock' = 'without lock',
): Promise<Key | undefined> {
  const { rows } = await rowsOf(keyColumns)`
    select algorithm, rotation_period, verification_ttl, allowed_client_ids
      from oidc_keys where namespace_id = ${namespaceId} and name = ${name} ${lock === 'without lock' ? sql`` : sql.raw(lock)}`.execute(
    db,
  );
  return rows[0];
}

/** A key as clients read it. */
export async function findKey({ db }: Pick<Store, 'db'>, at: KeyAt): Promise<Key | undefined> {
  return (await storedKey(db, at)) ?? (at.name === defaultKeyName ? defaultKey : undefined);
}

/** Names of keys after a name, in byte order, with the default key. */
export async function keyNames(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ name: text })`
    select name from (select name from oidc_keys where namespace_id = ${namespaceId} and name <> ${workloadKeyName}
                       union select ${defaultKeyName}::text collate "C") n
     where name > ${after} order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}
