import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { isUuid, uuid } from '../../../core/ids.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import { isOrAbove } from '../reach.ts';

/** Which logins an enforcement is for: those that any of the lists names. */
export interface LoginMatches {
  readonly auth_method_accessors: readonly string[];
  readonly auth_method_types: readonly string[];
  readonly identity_group_ids: readonly string[];
  readonly identity_entity_ids: readonly string[];
}

/** Logins that need a code of one of these methods. */
export interface Enforcement {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly matches: LoginMatches;
  readonly methods: readonly EnforcedMethod[];
}

export interface EnforcedMethod {
  readonly id: string;
  /** Empty: it has none. */
  readonly name: string;
}

/** Of one namespace: every login is compared with all of them. */
const enforcementsMax = 200;

const columns = sql`e.id::text as id, e.name, e.matches, coalesce((
  select json_agg(json_build_object('id', m.id, 'name', coalesce(m.name, '')) order by u.position)
    from mfa_enforcement_methods u join mfa_methods m on m.id = u.method_id
   where u.enforcement_id = e.id), '[]'::json) as methods`;

/** By name. */
export const listEnforcements = (store: Pick<Store, 'db'>, namespaceId: string): Promise<readonly Enforcement[]> =>
  select(store, sql`namespace_id = ${namespaceId} order by e.name limit ${enforcementsMax}`);

/** Those of a namespace and of the ones above it. */
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
  const { rows } = await sql<Enforcement>`select ${columns} from mfa_enforcements e where ${condition}`.execute(db);
  return rows;
}

/**
 * Creates or replaces the enforcement of a name.
 *
 * @throws AppError `bad-request` when a method is not there, or there would be too many enforcements
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
    // Held, so that no method goes away while it is being enforced.
    const held = await sql`
      select 1 from mfa_methods where ${isOrAbove(sql`namespace_id`, { path })} and id = any(${ids}::uuid[]) and removed_at is null
       order by id for key share`.execute(tx);
    if (held.rows.length < ids.length) throw noSuchMethod();
    const { rows } = await sql<{ readonly id: string; readonly others: number }>`
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

const noSuchMethod = () => badRequest("one of the provided method ids doesn't exist");
