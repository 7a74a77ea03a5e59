import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { isUuid, uuid } from '../../../core/ids.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { isOrAbove } from '../reach.ts';
import { dropMethod } from './drop.ts';
import type { TotpSettings } from './settings.ts';

/** A TOTP method. Both forms of the API, by name and by id, see the same methods. */
export interface Method {
  /** A UUID. */
  readonly id: string;
  /** Empty: it was made without one. */
  readonly name: string;
  readonly settings: TotpSettings;
}

/** What finds a method. */
export type MethodKey = { readonly id: string } | { readonly name: string };

/** Of one namespace, so that a listing fits into one reply. */
const methodsMax = 1_000;

const columns = sql`id::text as id, coalesce(name, '') as name, settings`;

/** By name. */
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

/** By its id, in a namespace or above it. */
export async function findMethodAt(
  { db }: Pick<Store, 'db'>,
  namespace: Pick<Namespace, 'path'>,
  id: string,
): Promise<Method | undefined> {
  const [found] = await select(db, sql`${isOrAbove(sql`namespace_id`, namespace)} and ${matching({ id })}`);
  return found;
}

/** Those of these names that there are. */
export const methodsNamed = (
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  names: readonly string[],
): Promise<readonly Method[]> => select(db, sql`namespace_id = ${namespaceId} and name = any(${names}::text[])`);

async function select(db: Kysely<Database>, condition: RawBuilder<unknown>): Promise<readonly Method[]> {
  const { rows } = await sql<Method>`
    select ${columns} from mfa_methods where removed_at is null and ${condition}`.execute(db);
  return rows;
}

/** Nothing has an id that is none. */
function matching(key: MethodKey): RawBuilder<unknown> {
  if ('name' in key) return sql`name = ${key.name}`;
  return isUuid(key.id) ? sql`id = ${key.id}::uuid` : sql`false`;
}

/** Creates the method of a name, or gives it other settings. @throws AppError `bad-request` when there would be too many */
export const putMethod = (store: Store, namespaceId: string, name: string, settings: TotpSettings): Promise<void> =>
  store.transaction(async (tx) => {
    await sql`
      insert into mfa_methods (id, namespace_id, name, settings)
      values (${uuid()}, ${namespaceId}, ${name}, ${JSON.stringify(settings)}::jsonb)
      on conflict (namespace_id, name) do update set settings = excluded.settings`.execute(tx);
    await mustNotBeTooMany(tx, namespaceId);
  });

/**
 * Creates a method and answers its id; an empty name is none.
 *
 * @throws AppError `bad-request` when the name is in use, or there would be too many
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

/** An empty name leaves it as it is. False: there is no such method. @throws AppError `bad-request` when the name is in use */
export async function updateMethod(
  { db }: Store,
  namespaceId: string,
  { id, name, settings }: Method,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  const { rows } = await sql<{ readonly free: boolean; readonly changed: boolean }>`
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
 * Removes a method with all its secrets; what is not there is removed already. From the first moment on nothing finds it.
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
  const { rows } = await sql<{ readonly id: string }>`
    select id from mfa_methods
     where namespace_id = ${namespaceId} and ${matching(key)} and removed_at is null for update`.execute(tx);
  const [found] = rows;
  if (found === undefined) return undefined;
  const users = await sql<{ readonly id: string }>`
    select enforcement_id as id from mfa_enforcement_methods where method_id = ${found.id} limit 1`.execute(tx);
  const [user] = users.rows;
  if (user !== undefined)
    throw badRequest(`methodID is still used by an enforcement configuration with ID: ${user.id}`);
  await sql`update mfa_methods set removed_at = now(), name = null where id = ${found.id}`.execute(tx);
  return found.id;
}

/** Those that are made at the same time wait for each other. */
async function mustNotBeTooMany(tx: Transaction<Database>, namespaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('mfa_methods'))`.execute(tx);
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::int as count from mfa_methods where namespace_id = ${namespaceId} and removed_at is null`.execute(
    tx,
  );
  if ((rows[0]?.count ?? 0) > methodsMax) throw badRequest(`there are ${methodsMax} MFA methods already`);
}

const nameTaken = (name: string) => badRequest(`the MFA method name ${JSON.stringify(name)} is already in use`);
