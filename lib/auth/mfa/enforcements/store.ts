import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { badField, badRequest } from '#core/errors.ts';
import { isUuid, uuid } from '#core/ids.ts';
import type { Namespace } from '#core/namespace.ts';
import { objectsOf, type RowOf } from '#store/sql/columns.ts';
import { int, jsonOf, text, uuid as uuidKind } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isOrAbove } from '../reach.ts';

/** An enforcement applies to logins that any of these lists names. */
export type LoginMatches = z.infer<typeof loginMatches>;

const texts = z.array(z.string()).readonly();

const loginMatches = z
  .strictObject({
    auth_method_accessors: texts,
    auth_method_types: texts,
    identity_group_ids: texts,
    identity_entity_ids: texts,
  })
  .readonly();

const methodColumns = {
  id: uuidKind,
  /** Empty for a method without a name. */
  name: text,
};

export type EnforcedMethod = RowOf<typeof methodColumns>;

const enforcementColumns = {
  id: uuidKind,
  name: text,
  matches: jsonOf(loginMatches),
  methods: objectsOf(methodColumns),
};

/** Requires a code of one of its methods for some logins. */
export type Enforcement = RowOf<typeof enforcementColumns>;

/** Bound of one namespace, since every login is compared with all of its enforcements. */
const enforcementsMax = 200;

const columns = sql`e.id::text as id, e.name, e.matches, coalesce((
  select json_agg(json_build_object('id', m.id, 'name', coalesce(m.name, '')) order by u.position)
    from mfa_enforcement_methods u join mfa_methods m on m.id = u.method_id
   where u.enforcement_id = e.id), '[]'::json) as methods`;

/** Lists enforcements in the order of their names. */
export const listEnforcements = (store: Pick<Store, 'db'>, namespaceId: string): Promise<readonly Enforcement[]> =>
  select(store, sql`namespace_id = ${namespaceId} order by e.name limit ${enforcementsMax}`);

/** The enforcements of a namespace and of the namespaces above it. */
export const enforcementsAt = (
  store: Pick<Store, 'db'>,
  namespace: Pick<Namespace, 'path'>,
): Promise<readonly Enforcement[]> =>
  select(store, sql`${isOrAbove(sql`e.namespace_id`, namespace)} order by e.namespace_id, e.name`);

export async function findEnforcement(
  store: Pick<Store, 'db'>,
  namespaceId: string,
  name: string,
): Promise<Enforcement | undefined> {
  const [found] = await select(store, sql`namespace_id = ${namespaceId} and e.name = ${name}`);
  return found;
}

async function select({ db }: Pick<Store, 'db'>, condition: RawBuilder<unknown>): Promise<readonly Enforcement[]> {
  const { rows } = await rowsOf(
    enforcementColumns,
  )`select ${columns} from mfa_enforcements e where ${condition}`.execute(db);
  return rows;
}

/**
 * Creates or replaces the enforcement with a name.
 *
 * @throws AppError `bad-request` when a method does not exist, or when there would be too many enforcements
 */
export const putEnforcement = (
  store: Store,
  { id: namespaceId, path }: Pick<Namespace, 'id' | 'path'>,
  { name, matches, methodIds }: Pick<Enforcement, 'name' | 'matches'> & { readonly methodIds: readonly string[] },
): Promise<void> =>
  store.transaction(async (tx) => {
    const ids = [...new Set(methodIds.map((id) => id.toLowerCase()))];
    if (!ids.every(isUuid)) throw noSuchMethod();
    await sql`select pg_advisory_xact_lock(hashtext('mfa_enforcements'))`.execute(tx);
    // The lock keeps the methods from being deleted until the enforcement refers to them.
    const held = await sql`
      select 1 from mfa_methods where ${isOrAbove(sql`namespace_id`, { path })} and id = any(${ids}::uuid[]) and removed_at is null
       order by id for key share`.execute(tx);
    if (held.rows.length < ids.length) throw noSuchMethod();
    const { rows } = await rowsOf({ id: text, others: int })`
      insert into mfa_enforcements (id, namespace_id, name, matches)
      values (${uuid()}, ${namespaceId}, ${name}, ${JSON.stringify(matches)}::jsonb)
      on conflict (namespace_id, name) do update set matches = excluded.matches
      returning id, (select count(*)::int from mfa_enforcements o
                      where o.namespace_id = ${namespaceId} and o.name <> ${name}) as others`.execute(tx);
    const [row] = rows;
    if (row === undefined || row.others >= enforcementsMax)
      throw badRequest(`there are ${enforcementsMax} login enforcements already`);
    await sql`delete from mfa_enforcement_methods where enforcement_id = ${row.id}`.execute(tx);
    await sql`
      insert into mfa_enforcement_methods (enforcement_id, method_id, position)
      select ${row.id}, id, position from unnest(${ids}::uuid[]) with ordinality as given (id, position)`.execute(tx);
  });

export async function removeEnforcement({ db }: Store, namespaceId: string, name: string): Promise<void> {
  await sql`delete from mfa_enforcements where namespace_id = ${namespaceId} and name = ${name}`.execute(db);
}

const noSuchMethod = () => badField('mfa_method_ids', "one of the provided method ids doesn't exist");
