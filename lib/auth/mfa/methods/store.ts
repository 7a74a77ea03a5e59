import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { isUuid, uuid } from '#core/ids.ts';
import type { Namespace } from '#core/namespace.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, jsonOf, text, uuid as uuidKind } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isOrAbove } from '../reach.ts';
import { dropMethod } from './drop.ts';
import { type TotpSettings, totpSettings } from './settings.ts';

/** A TOTP method. Both forms of the API, by name and by id, see the same methods. */
export type Method = RowOf<typeof methodColumns>;

const methodColumns = {
  id: uuidKind,
  /** Empty for a method that was created without a name. */
  name: text,
  settings: jsonOf<TotpSettings>(totpSettings),
};

/** One way to identify a method. */
export type MethodKey = { readonly id: string } | { readonly name: string };

/** Bound of one namespace, so that a listing fits into one reply. */
const methodsMax = 1_000;

const columns = sql`id::text as id, coalesce(name, '') as name, settings`;

/** Lists methods in the order of their names. */
export const listMethods = ({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<readonly Method[]> =>
  select(db, sql`namespace_id = ${namespaceId} order by name, id limit ${methodsMax}`);

export async function findMethod(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  key: MethodKey,
): Promise<Method | undefined> {
  const [found] = await select(db, sql`namespace_id = ${namespaceId} and ${matching(key)}`);
  return found;
}

/** Finds a method by its id, in a namespace or above it. */
export async function findMethodAt(
  { db }: Pick<Store, 'db'>,
  namespace: Pick<Namespace, 'path'>,
  id: string,
): Promise<Method | undefined> {
  const [found] = await select(db, sql`${isOrAbove(sql`namespace_id`, namespace)} and ${matching({ id })}`);
  return found;
}

/** The methods with these names; unknown names are left out. */
export const methodsNamed = (
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  names: readonly string[],
): Promise<readonly Method[]> => select(db, sql`namespace_id = ${namespaceId} and name = any(${names}::text[])`);

async function select(db: Kysely<Database>, condition: RawBuilder<unknown>): Promise<readonly Method[]> {
  const { rows } = await rowsOf(methodColumns)`
    select ${columns} from mfa_methods where removed_at is null and ${condition}`.execute(db);
  return rows;
}

/** An id that is not a UUID matches no method. */
function matching(key: MethodKey): RawBuilder<unknown> {
  if ('name' in key) return sql`name = ${key.name}`;
  return isUuid(key.id) ? sql`id = ${key.id}::uuid` : sql`false`;
}

/** Creates a method, or replaces the settings of the one with the name. @throws AppError `bad-request` for too many methods */
export const putMethod = (store: Store, namespaceId: string, name: string, settings: TotpSettings): Promise<void> =>
  store.transaction(async (tx) => {
    await sql`
      insert into mfa_methods (id, namespace_id, name, settings)
      values (${uuid()}, ${namespaceId}, ${name}, ${JSON.stringify(settings)}::jsonb)
      on conflict (namespace_id, name) do update set settings = excluded.settings`.execute(tx);
    await mustNotBeTooMany(tx, namespaceId);
  });

/**
 * Creates a method, which an empty name leaves without a name, and returns its id.
 *
 * @throws AppError `bad-request` when the name is in use, or when there would be too many methods
 */
export const createMethod = (
  store: Store,
  namespaceId: string,
  name: string,
  settings: TotpSettings,
): Promise<string> =>
  store.transaction(async (tx) => {
    const id = uuid();
    const { rows } = await sql`
      insert into mfa_methods (id, namespace_id, name, settings)
      values (${id}, ${namespaceId}, ${name === '' ? null : name}, ${JSON.stringify(settings)}::jsonb)
      on conflict do nothing returning 1`.execute(tx);
    if (rows.length === 0) throw nameTaken(name);
    await mustNotBeTooMany(tx, namespaceId);
    return id;
  });

/**
 * Updates the settings of a method, and its name unless the new one is empty. False when the method does not exist.
 *
 * @throws AppError `bad-request` when the name is in use
 */
export async function updateMethod(
  { db }: Store,
  namespaceId: string,
  { id, name, settings }: Method,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await rowsOf({ free: bool, changed: bool })`
    with free as (select not exists (
        select 1 from mfa_methods where namespace_id = ${namespaceId} and name = ${name} and id <> ${id}::uuid) as free),
      changed as (
        update mfa_methods set settings = ${JSON.stringify(settings)}::jsonb, name = coalesce(nullif(${name}, ''), name)
         where namespace_id = ${namespaceId} and id = ${id}::uuid and removed_at is null and (select free from free)
        returning 1)
    select free, exists (select 1 from changed) as changed from free`.execute(db);
  if (rows[0]?.free === false) throw nameTaken(name);
  return rows[0]?.changed === true;
}

/**
 * Removes a method with all its secrets. No look-up finds it from the first moment on. A method that does not exist is a success.
 *
 * @throws AppError `bad-request` when an enforcement uses it
 */
export async function removeMethod(store: Store, namespaceId: string, key: MethodKey): Promise<void> {
  const id = await store.transaction((tx) => markRemoved(tx, namespaceId, key));
  if (id !== undefined) await dropMethod(store, id);
}

async function markRemoved(
  tx: Transaction<Database>,
  namespaceId: string,
  key: MethodKey,
): Promise<string | undefined> {
  const { rows } = await rowsOf({ id: text })`
    select id from mfa_methods
     where namespace_id = ${namespaceId} and ${matching(key)} and removed_at is null for update`.execute(tx);
  const [found] = rows;
  if (found === undefined) return undefined;
  const users = await rowsOf({ id: text })`
    select enforcement_id as id from mfa_enforcement_methods where method_id = ${found.id} limit 1`.execute(tx);
  const [user] = users.rows;
  if (user !== undefined)
    throw badRequest(`methodID is still used by an enforcement configuration with ID: ${user.id}`);
  await sql`update mfa_methods set removed_at = now(), name = null where id = ${found.id}`.execute(tx);
  return found.id;
}

/** A lock makes concurrent creations wait for each other, so that the bound is exact. */
async function mustNotBeTooMany(tx: Transaction<Database>, namespaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('mfa_methods'))`.execute(tx);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from mfa_methods where namespace_id = ${namespaceId} and removed_at is null`.execute(
    tx,
  );
  if ((rows[0]?.count ?? 0) > methodsMax) throw badRequest(`there are ${methodsMax} MFA methods already`);
}

const nameTaken = (name: string) =>
  badField('method_name', `the MFA method name ${JSON.stringify(name)} is already in use`);
