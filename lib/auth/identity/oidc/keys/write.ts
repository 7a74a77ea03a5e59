import { sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { bounds, mustBeShortTime, quoted } from '../fields.ts';
import { defaultKey, defaultKeyName, type Key, newKey, storedKey, workloadKeyName } from './read.ts';
import { retireSigning, rotate } from './rotate.ts';
import { algorithms, insertVersion, type KeyAt, newVersion } from './version.ts';

/** A change of a key that a client asks for. Undefined members keep their values, or get the defaults of a new key. */
export interface KeyChange {
  readonly algorithm?: string | undefined;
  readonly rotation_period?: number | undefined;
  readonly verification_ttl?: number | undefined;
  readonly allowed_client_ids?: readonly string[] | undefined;
}

/**
 * Creates or changes a key. A new algorithm takes effect at once: the former signing key is retired.
 *
 * @throws AppError `bad-request`
 */
export const writeKey = (store: Store, at: KeyAt, change: KeyChange): Promise<void> =>
  store.transaction(async (tx) => {
    const before = await storedKey(tx, at, 'for update');
    const key = changed(before ?? initialKey(at), change);
    check(key);
    if (before === undefined) return insertKey(tx, store, at, key);
    await mustCover(tx, at, key);
    await updateKey(tx, at, key);
    if (key.algorithm === before.algorithm) return;
    await retireSigning(tx, at, key.verification_ttl);
    await sql`
      delete from oidc_key_versions
       where namespace_id = ${at.namespaceId} and key = ${at.name} and state = 'next'`.execute(tx);
    await insertVersions(tx, store, at, key);
  });

const initialKey = ({ name }: KeyAt): Key => (name === defaultKeyName ? defaultKey : newKey);

function changed(before: Key, change: KeyChange): Key {
  const algorithm = algorithms.find((one) => one === (change.algorithm ?? before.algorithm));
  if (algorithm === undefined)
    throw badField('algorithm', `unknown signing algorithm ${quoted(change.algorithm ?? '')}`);
  return {
    algorithm,
    rotation_period: change.rotation_period ?? before.rotation_period,
    verification_ttl: change.verification_ttl ?? before.verification_ttl,
    allowed_client_ids: change.allowed_client_ids ?? before.allowed_client_ids,
  };
}

const rotationSecondsMin = 60;
const periodsMax = 10;

function check({ rotation_period, verification_ttl }: Key): void {
  if (rotation_period < rotationSecondsMin)
    throw badField('rotation_period', 'rotation_period must be at least one minute');
  mustBeShortTime('rotation_period', rotation_period);
  if (verification_ttl > periodsMax * rotation_period)
    throw badField(
      ['verification_ttl', 'rotation_period'],
      'verification_ttl cannot be longer than 10x rotation_period',
    );
  mustBeShortTime('verification_ttl', verification_ttl);
}

/** A token must not outlive the public key that verifies it. */
async function mustCover(tx: Transaction<Database>, { namespaceId, name }: KeyAt, { verification_ttl }: Key) {
  const { rows } = await rowsOf({ longest: int })`
    select coalesce(max(ttl), 0) as longest from oidc_roles where namespace_id = ${namespaceId} and key = ${name}`.execute(
    tx,
  );
  const clients = await rowsOf({ longest: int })`
    select coalesce(max((settings ->> 'id_token_ttl')::int), 0) as longest
      from oidc_clients where namespace_id = ${namespaceId} and key = ${name}`.execute(tx);
  if ((clients.rows[0]?.longest ?? 0) > verification_ttl) {
    throw badField(
      'verification_ttl',
      `unable to update key ${quoted(name)} because it is currently referenced by one or more clients with an id_token_ttl greater than ${verification_ttl} seconds`,
    );
  }
  if ((rows[0]?.longest ?? 0) <= verification_ttl) return;
  throw badField(
    'verification_ttl',
    `unable to update key ${quoted(name)} because it is currently referenced by one or more roles with a token ttl greater than ${verification_ttl} seconds`,
  );
}

async function updateKey(tx: Transaction<Database>, { namespaceId, name }: KeyAt, key: Key): Promise<void> {
  await sql`
    update oidc_keys set algorithm = ${key.algorithm}, rotation_period = ${key.rotation_period},
           verification_ttl = ${key.verification_ttl}, allowed_client_ids = ${key.allowed_client_ids}::text[],
           next_rotation_at = least(next_rotation_at, now() + make_interval(secs => ${key.rotation_period}))
     where namespace_id = ${namespaceId} and name = ${name}`.execute(tx);
}

/** Another request may create the key at the same time: then its settings stay. */
async function insertKey(tx: Transaction<Database>, store: Pick<Store, 'barrier'>, at: KeyAt, key: Key): Promise<void> {
  const { namespaceId, name } = at;
  const { rows } = await sql`
    insert into oidc_keys (namespace_id, name, algorithm, rotation_period, verification_ttl, allowed_client_ids, next_rotation_at)
    values (${namespaceId}, ${name}, ${key.algorithm}, ${key.rotation_period}, ${key.verification_ttl},
            ${key.allowed_client_ids}::text[], now() + make_interval(secs => ${key.rotation_period}))
    on conflict (namespace_id, name) do nothing returning 1`.execute(tx);
  if (rows.length === 0) return;
  await insertVersions(tx, store, at, key);
  await mustNotBeTooMany(tx, namespaceId);
}

async function insertVersions(
  tx: Transaction<Database>,
  store: Pick<Store, 'barrier'>,
  at: KeyAt,
  { algorithm }: Key,
): Promise<void> {
  const [signing, next] = await Promise.all([newVersion(algorithm), newVersion(algorithm)]);
  await insertVersion(tx, store, at, signing, 'signing');
  await insertVersion(tx, store, at, next, 'next');
}

/** A lock makes concurrent creations wait for each other, so that the bound is exact. */
async function mustNotBeTooMany(tx: Transaction<Database>, namespaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('oidc_keys'))`.execute(tx);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from oidc_keys
     where namespace_id = ${namespaceId} and name <> ${workloadKeyName}`.execute(tx);
  if ((rows[0]?.count ?? 0) > bounds.keys) throw badRequest(`there are ${bounds.keys} keys already`);
}

/** Locks a key against changes, and creates the default key if it is asked for. Undefined when there is no such key. */
export async function heldKey(
  tx: Transaction<Database>,
  store: Pick<Store, 'barrier'>,
  at: KeyAt,
): Promise<Key | undefined> {
  if (at.name === workloadKeyName) return undefined;
  const found = await storedKey(tx, at, 'for share');
  if (found !== undefined || at.name !== defaultKeyName) return found;
  await insertKey(tx, store, at, defaultKey);
  return storedKey(tx, at, 'for share');
}

/** Creates the key of tokens about runs unless it exists. */
export const createWorkloadKey = (store: Store, at: KeyAt): Promise<void> =>
  store.transaction((tx) => insertKey(tx, store, at, newKey));

/**
 * Rotates a key now. Its public key is published for `verificationSeconds` more, by default for the time of the key.
 *
 * @throws AppError `bad-request` when there is no such key
 */
export const rotateNow = (store: Store, at: KeyAt, verificationSeconds: number | undefined): Promise<void> =>
  store.transaction(async (tx) => {
    const key = await storedKey(tx, at, 'for update');
    // A default key that was never used is new, which a rotation would make it too.
    if (key === undefined && at.name === defaultKeyName) return insertKey(tx, store, at, defaultKey);
    if (key === undefined) throw badRequest(`no named key found at ${quoted(at.name)}`);
    if (verificationSeconds !== undefined) mustBeShortTime('verification_ttl', verificationSeconds);
    await rotate(tx, store, at, key, verificationSeconds ?? key.verification_ttl);
  });

/** Deletes a key with its versions. A key that does not exist is a success. @throws AppError `bad-request` for a key in use */
export const removeKey = (store: Store, at: KeyAt): Promise<void> =>
  store.transaction(async (tx) => {
    const { namespaceId, name } = at;
    if (name === defaultKeyName) throw badRequest(`deletion of key ${quoted(name)} not allowed`);
    if ((await storedKey(tx, at, 'for update')) === undefined) return;
    await mustBeUnused(tx, at, 'roles');
    await mustBeUnused(tx, at, 'clients');
    await sql`delete from oidc_keys where namespace_id = ${namespaceId} and name = ${name}`.execute(tx);
  });

const usersShownMax = 32;

async function mustBeUnused(
  tx: Transaction<Database>,
  { namespaceId, name }: KeyAt,
  users: 'roles' | 'clients',
): Promise<void> {
  const { rows } = await rowsOf({ name: text })`
    select name from ${sql.table(`oidc_${users}`)}
     where namespace_id = ${namespaceId} and key = ${name} order by name limit ${usersShownMax}`.execute(tx);
  if (rows.length === 0) return;
  const names = rows.map((user) => user.name).join(', ');
  throw badRequest(
    `unable to delete key ${quoted(name)} because it is currently referenced by these ${users}: ${names}`,
  );
}
