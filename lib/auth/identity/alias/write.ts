import { type RawBuilder, sql, type Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import { uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { isTaken, nameKey } from '../names.ts';
import type { Metadata } from '../parts.ts';
import { touchEntities } from './store.ts';

/** What a client wants an alias to be; undefined: as it is. */
export interface AliasChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly mount?: { readonly accessor: string; readonly local: boolean } | undefined;
  /** The entity; undefined for a new alias: a new one. */
  readonly entityId?: string | undefined;
  /** Undefined: none, also for an alias that had some. */
  readonly customMetadata?: Metadata | undefined;
}

export interface WrittenAlias {
  readonly id: string;
  readonly canonical_id: string;
}

const taken = 'Alias already exists for requested entity and mount accessor';

/**
 * Changes the alias of an id, or that of a name at a mount, which is made where there is none.
 *
 * @throws AppError `bad-request` when it is not clear which is meant, or the entity has one at the mount
 */
export async function writeAlias(store: Store, namespaceId: string, change: AliasChange): Promise<WrittenAlias> {
  try {
    return await store.transaction((tx) => written(tx, namespaceId, change));
  } catch (error) {
    throw isTaken(error) ? badRequest(taken) : error;
  }
}

async function written(tx: Transaction<Database>, namespaceId: string, change: AliasChange): Promise<WrittenAlias> {
  const { id, name, mount, entityId } = change;
  if (entityId !== undefined) await mustBeEntity(tx, namespaceId, entityId);
  const which = keyOf(change);
  const { rows } = await sql<{ id: string; entity_id: string }>`
    select id, entity_id from entity_aliases where namespace_id = ${namespaceId} and ${which} for update`.execute(tx);
  const [there] = rows;
  if (there !== undefined) return update(tx, there, change);
  if (id !== undefined || name === undefined || mount === undefined) throw badRequest('invalid alias ID');
  return insert(tx, namespaceId, { ...change, name, mount });
}

function keyOf({ id, name, mount }: AliasChange): RawBuilder<unknown> {
  if (id !== undefined) return sql`id = ${id}`;
  if (name === undefined || mount === undefined)
    throw badRequest("'id' or 'mount_accessor' and 'name' must be provided");
  return sql`mount_accessor = ${mount.accessor} and name_key = ${nameKey(name)}`;
}

async function mustBeEntity(tx: Transaction<Database>, namespaceId: string, id: string): Promise<void> {
  const { rows } = await sql`
    select 1 from entities where namespace_id = ${namespaceId} and id = ${id} for no key update`.execute(tx);
  if (rows.length === 0) throw badRequest('invalid canonical ID');
}

async function update(
  tx: Transaction<Database>,
  there: { readonly id: string; readonly entity_id: string },
  { name, mount, entityId = there.entity_id, customMetadata = {} }: AliasChange,
): Promise<WrittenAlias> {
  const sets = [
    sql`updated_at = now(), entity_id = ${entityId}`,
    ...(name === undefined ? [] : [sql`name = ${name}, name_key = ${nameKey(name)}`]),
    ...(mount === undefined ? [] : [sql`mount_accessor = ${mount.accessor}, local = ${mount.local}`]),
    sql`custom_metadata = ${JSON.stringify(customMetadata)}::jsonb`,
  ];
  await sql`update entity_aliases set ${sql.join(sets)} where id = ${there.id}`.execute(tx);
  await touchEntities(tx, [there.entity_id, entityId]);
  return { id: there.id, canonical_id: entityId };
}

type NewAlias = AliasChange & Required<Pick<AliasChange, 'name' | 'mount'>>;

async function insert(tx: Transaction<Database>, namespaceId: string, change: NewAlias): Promise<WrittenAlias> {
  const { name, mount, customMetadata = {} } = change;
  const id = uuid();
  const entityId = change.entityId ?? (await newEntity(tx, namespaceId));
  await sql`
    insert into entity_aliases (id, entity_id, namespace_id, mount_accessor, name, name_key, custom_metadata, local,
                                created_at, updated_at)
    values (${id}, ${entityId}, ${namespaceId}, ${mount?.accessor}, ${name}, ${nameKey(name ?? '')},
            ${JSON.stringify(customMetadata)}::jsonb, ${mount?.local === true}, now(), now())`.execute(tx);
  await touchEntities(tx, [entityId]);
  return { id, canonical_id: entityId };
}

async function newEntity(tx: Transaction<Database>, namespaceId: string): Promise<string> {
  const id = uuid();
  await sql`insert into entities (id, namespace_id, name, name_key, created_at, updated_at)
            values (${id}, ${namespaceId}, ${`entity-${id}`}, ${`entity-${id}`}, now(), now())`.execute(tx);
  return id;
}
