import { sql, type Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isTaken, nameKey } from '../names.ts';
import type { Metadata } from '../parts.ts';
import { aliasCondition } from './key.ts';
import { touchEntities } from './store.ts';

/** A change of an alias that a client asks for. Undefined members keep their values. */
export interface AliasChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly mount?: { readonly accessor: string; readonly local: boolean } | undefined;
  /** Undefined for a new alias creates an entity. */
  readonly entityId?: string | undefined;
  /** The field of the request that has the id of the entity. */
  readonly entityField: 'canonical_id' | 'entity_id';
  /** Undefined clears the metadata. */
  readonly customMetadata?: Metadata | undefined;
}

export interface WrittenAlias {
  readonly id: string;
  readonly canonical_id: string;
}

const taken = 'Alias already exists for requested entity and mount accessor';

/**
 * Changes the alias with an id, or creates or changes the alias with a name at a mount.
 *
 * @throws AppError `bad-request` when neither is given, or when the entity already has an alias at the mount
 */
export async function writeAlias(store: Store, namespaceId: string, change: AliasChange): Promise<WrittenAlias> {
  try {
    return await store.transaction((tx) => write(tx, namespaceId, change));
  } catch (error) {
    throw isTaken(error) ? badField([change.entityField, 'mount_accessor'], taken) : error;
  }
}

async function write(tx: Transaction<Database>, namespaceId: string, change: AliasChange): Promise<WrittenAlias> {
  const { id, name, mount, entityId, entityField } = change;
  if (entityId !== undefined) await mustBeEntity(tx, namespaceId, entityField, entityId);
  const condition = aliasCondition({ id, name, mountAccessor: mount?.accessor });
  const { rows } = await rowsOf({ id: text, entity_id: text })`
    select id, entity_id from entity_aliases where namespace_id = ${namespaceId} and ${condition} for update`.execute(
    tx,
  );
  const [existing] = rows;
  if (existing !== undefined) return update(tx, existing, change);
  if (id !== undefined || name === undefined || mount === undefined)
    throw badField(id === undefined ? ['name', 'mount_accessor'] : 'id', 'invalid alias ID');
  return insert(tx, namespaceId, { ...change, name, mount });
}

async function mustBeEntity(
  tx: Transaction<Database>,
  namespaceId: string,
  field: AliasChange['entityField'],
  id: string,
): Promise<void> {
  const { rows } = await sql`
    select 1 from entities where namespace_id = ${namespaceId} and id = ${id} for no key update`.execute(tx);
  if (rows.length === 0) throw badField(field, 'invalid canonical ID');
}

async function update(
  tx: Transaction<Database>,
  existing: { readonly id: string; readonly entity_id: string },
  { name, mount, entityId = existing.entity_id, customMetadata = {} }: AliasChange,
): Promise<WrittenAlias> {
  const sets = [
    sql`updated_at = now(), entity_id = ${entityId}`,
    ...(name === undefined ? [] : [sql`name = ${name}, name_key = ${nameKey(name)}`]),
    ...(mount === undefined ? [] : [sql`mount_accessor = ${mount.accessor}, local = ${mount.local}`]),
    sql`custom_metadata = ${JSON.stringify(customMetadata)}::jsonb`,
  ];
  await sql`update entity_aliases set ${sql.join(sets)} where id = ${existing.id}`.execute(tx);
  await touchEntities(tx, [existing.entity_id, entityId]);
  return { id: existing.id, canonical_id: entityId };
}

interface NewAlias extends AliasChange {
  readonly name: string;
  readonly mount: NonNullable<AliasChange['mount']>;
}

async function insert(tx: Transaction<Database>, namespaceId: string, change: NewAlias): Promise<WrittenAlias> {
  const { name, mount, customMetadata = {} } = change;
  const id = uuid();
  const entityId = change.entityId ?? (await newEntity(tx, namespaceId));
  await sql`
    insert into entity_aliases (id, entity_id, namespace_id, mount_accessor, name, name_key, custom_metadata, local,
                                created_at, updated_at)
    values (${id}, ${entityId}, ${namespaceId}, ${mount.accessor}, ${name}, ${nameKey(name)},
            ${JSON.stringify(customMetadata)}::jsonb, ${mount.local}, now(), now())`.execute(tx);
  await touchEntities(tx, [entityId]);
  return { id, canonical_id: entityId };
}

async function newEntity(tx: Transaction<Database>, namespaceId: string): Promise<string> {
  const id = uuid();
  await sql`insert into entities (id, namespace_id, name, name_key, created_at, updated_at)
            values (${id}, ${namespaceId}, ${`entity-${id}`}, ${`entity-${id}`}, now(), now())`.execute(tx);
  return id;
}
