import { type RawBuilder, sql } from 'kysely';
import { isUuid } from '#core/ids.ts';
import { float, jsonObject, oneOf } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { bounds } from '../fields.ts';
import { algorithms, type KeyAt } from './version.ts';

/** Public keys, and how long clients may keep them. */
export interface PublishedKeys {
  readonly keys: readonly object[];
  /** Seconds until the first rotation of one of the keys. */
  readonly freshSeconds: number;
}

/** The next and the signing version, and the retired ones. */
const versionsMax = bounds.keys * (bounds.retiredVersions + 2);

const isCurrent = sql`(v.expire_at is null or v.expire_at > now())`;
const ofRole = sql`exists (select 1 from oidc_roles r where r.namespace_id = v.namespace_id and r.key = v.key)`;
const ofClient = (ids: readonly string[]) => sql`exists (
  select 1 from oidc_clients c where c.namespace_id = v.namespace_id and c.key = v.key
     and ('*' = any(${ids}::text[]) or c.client_id = any(${ids}::text[])))`;

/**
 * Lists the public keys that verify the tokens of a namespace now, and those that will. As in the API family, these are the keys of
 * roles, or with `clientIds` those of these clients.
 */
export const publishedKeys = (
  store: Pick<Store, 'db'>,
  namespaceId: string,
  clientIds?: readonly string[],
): Promise<PublishedKeys> => published(store, namespaceId, clientIds === undefined ? ofRole : ofClient(clientIds));

/** Lists the public keys of one key, whoever uses it. */
export const publishedVersions = (store: Pick<Store, 'db'>, { namespaceId, name }: KeyAt): Promise<PublishedKeys> =>
  published(store, namespaceId, sql`v.key = ${name}`);

async function published(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  condition: RawBuilder<unknown>,
): Promise<PublishedKeys> {
  const { rows } = await rowsOf({ public_key: jsonObject, seconds: float })`
    select v.public_key, extract(epoch from k.next_rotation_at - now())::float8 as seconds
      from oidc_key_versions v join oidc_keys k on k.namespace_id = v.namespace_id and k.name = v.key
     where v.namespace_id = ${namespaceId} and ${isCurrent} and ${condition}
     order by v.key, v.created_at, v.id limit ${versionsMax}`.execute(db);
  return {
    keys: rows.map((row) => row.public_key),
    freshSeconds: Math.max(0, Math.floor(Math.min(...rows.map(({ seconds }) => seconds)))),
  };
}

/** The published key with an id. */
export async function publishedKey({ db }: Pick<Store, 'db'>, namespaceId: string, id: string) {
  if (!isUuid(id)) return undefined;
  const { rows } = await rowsOf({ public_key: jsonObject, algorithm: oneOf(...algorithms) })`
    select v.public_key, v.algorithm from oidc_key_versions v
     where v.id = ${id} and v.namespace_id = ${namespaceId} and ${isCurrent} and (${ofRole} or ${ofClient(['*'])})`.execute(
    db,
  );
  return rows[0];
}
