import { sql, type Transaction } from 'kysely';
import { permissionDenied } from '#core/errors.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { stateColumn } from '../../token/find/entity-state.ts';
import type { LoginEntity, LoginOf } from '../../token/identities.ts';
import { nameKey } from '../names.ts';

/**
 * Stores the metadata and groups of a login with its entity. Undefined when the alias no longer belongs to the entity. Only the
 * entity's own version changes, so a login does not make cached facts about other entities stale.
 *
 * @throws AppError `permission-denied` when the entity has been disabled
 */
export function refresh(store: Store, entityId: string, login: LoginOf): Promise<LoginEntity | undefined> {
  return store.transaction(async (tx) => {
    const { rows } = await rowsOf({ state: nullable(text) })`
      update entities e set version = version + 1
        from entity_aliases a
       where e.id = ${entityId} and a.entity_id = e.id and a.namespace_id = ${login.namespaceId}
         and a.mount_accessor = ${login.mount.accessor} and a.name_key = ${nameKey(login.alias)}
      returning ${stateColumn} as state`.execute(tx);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (row.state === null) throw permissionDenied();
    if (login.metadata !== undefined) await keepMetadata(tx, entityId, login);
    if (login.groups !== undefined) await keepGroups(tx, entityId, login);
    return { entityId, entityState: row.state };
  });
}

const keepMetadata = (tx: Transaction<Database>, entityId: string, { metadata, mount }: LoginOf) =>
  sql`update entity_aliases set metadata = ${JSON.stringify(metadata)}::jsonb, updated_at = now()
       where entity_id = ${entityId} and mount_accessor = ${mount.accessor}`.execute(tx);

async function keepGroups(tx: Transaction<Database>, entityId: string, login: LoginOf): Promise<void> {
  const wanted = sql`a.name_key = any(${keysOf(login)}::text[])`;
  await sql`
    delete from group_entities m using group_aliases a
     where m.entity_id = ${entityId} and m.group_id = a.group_id and ${atMount(login)} and not ${wanted}`.execute(tx);
  await sql`
    insert into group_entities (entity_id, group_id)
    select ${entityId}, g.id from group_aliases a join identity_groups g on g.id = a.group_id
     where ${atMount(login)} and ${wanted} order by g.id for key share of g
    on conflict do nothing`.execute(tx);
}

const atMount = ({ namespaceId, mount }: LoginOf) =>
  sql`a.namespace_id = ${namespaceId} and a.mount_accessor = ${mount.accessor}`;

const keysOf = ({ groups = [] }: LoginOf): readonly string[] => groups.map(nameKey);
