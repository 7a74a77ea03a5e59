import { type Kysely, sql, type Transaction } from 'kysely';
import type { z } from 'zod';
import { badRequest } from '#core/errors.ts';
import type { Page } from '#path/listing.ts';
import { int, jsonOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { bounds, quoted } from '../fields.ts';

/** A kind of named settings of a namespace. */
export interface Resource<S> {
  readonly kind: 'assignment' | 'scope' | 'provider';
  readonly schema: z.ZodType<S>;
  /** Every namespace has it. */
  readonly builtIn?: { readonly name: string; readonly settings: S };
}

/** Identifies a resource of a kind. */
export interface At {
  readonly namespaceId: string;
  readonly name: string;
}

type Db = { readonly db: Kysely<Database> };

export async function findSettings<S>({ db }: Db, resource: Resource<S>, at: At): Promise<S | undefined> {
  const { rows } = await rowsOf({ settings: jsonOf(resource.schema) })`
    select settings from oidc_settings
     where namespace_id = ${at.namespaceId} and kind = ${resource.kind} and name = ${at.name}`.execute(db);
  const { builtIn } = resource;
  return rows[0]?.settings ?? (builtIn?.name === at.name ? builtIn.settings : undefined);
}

/** The settings with these names; unknown names are left out. */
export async function settingsNamed<S>(
  { db }: Db,
  resource: Resource<S>,
  namespaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, S>> {
  const { rows } = await rowsOf({ name: text, settings: jsonOf(resource.schema) })`
    select name, settings from oidc_settings
     where namespace_id = ${namespaceId} and kind = ${resource.kind} and name = any(${names}::text[])`.execute(db);
  const { builtIn } = resource;
  const own = builtIn !== undefined && names.includes(builtIn.name) ? [[builtIn.name, builtIn.settings] as const] : [];
  return new Map([...own, ...rows.map(({ name, settings }) => [name, settings] as const)]);
}

/** A page of a kind in the order of the names, with what every namespace has. */
export async function settingsPage<S>(
  { db }: Db,
  { kind, schema, builtIn }: Resource<S>,
  namespaceId: string,
  { after, limit }: Page,
): Promise<readonly { readonly name: string; readonly settings: S }[]> {
  const { rows } = await rowsOf({ name: text, settings: jsonOf(schema) })`
    select name, settings from oidc_settings
     where namespace_id = ${namespaceId} and kind = ${kind} and name > ${after} order by name limit ${limit}`.execute(
    db,
  );
  if (builtIn === undefined || builtIn.name <= after || rows.some(({ name }) => name === builtIn.name)) return rows;
  return [...rows, builtIn].sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit);
}

/** Makes changes of one namespace wait for each other, so that references and bounds are exact. */
export async function lockProvider(tx: Transaction<Database>, namespaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('oidc_provider'), hashtext(${namespaceId}))`.execute(tx);
}

/** Stores the settings that `change` makes of the present ones. If it throws, nothing changes. @throws AppError `bad-request` */
export const changeSettings = <S>(
  store: Store,
  resource: Resource<S>,
  at: At,
  change: (tx: Transaction<Database>, before: S | undefined) => Promise<S>,
): Promise<void> =>
  store.transaction(async (tx) => {
    await lockProvider(tx, at.namespaceId);
    const settings = await change(tx, await findSettings({ db: tx }, resource, at));
    await sql`
      insert into oidc_settings (namespace_id, kind, name, settings)
      values (${at.namespaceId}, ${resource.kind}, ${at.name}, ${JSON.stringify(settings)}::jsonb)
      on conflict (namespace_id, kind, name) do update set settings = excluded.settings`.execute(tx);
    const { rows } = await rowsOf({ count: int })`
      select count(*)::int as count from oidc_settings
       where namespace_id = ${at.namespaceId} and kind = ${resource.kind}`.execute(tx);
    if ((rows[0]?.count ?? 0) > bounds.roles) throw badRequest(`there are ${bounds.roles} ${resource.kind}s already`);
  });

/** Deletes settings that `users` does not name users of. What does not exist is a success. @throws AppError `bad-request` */
export const removeSettings = (
  store: Store,
  { kind }: Pick<Resource<unknown>, 'kind'>,
  { namespaceId, name }: At,
  users: { readonly kind: string; find(tx: Transaction<Database>): Promise<readonly string[]> } | undefined,
): Promise<void> =>
  store.transaction(async (tx) => {
    await lockProvider(tx, namespaceId);
    const found = (await users?.find(tx)) ?? [];
    if (found.length > 0) throw inUse(kind, name, users?.kind ?? '', found);
    await sql`delete from oidc_settings where namespace_id = ${namespaceId} and kind = ${kind} and name = ${name}`.execute(
      tx,
    );
  });

const inUse = (kind: string, name: string, users: string, names: readonly string[]) =>
  badRequest(
    `unable to delete ${kind} ${quoted(name)} because it is currently referenced by these ${users}: ${names.join(', ')}`,
  );
