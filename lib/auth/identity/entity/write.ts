import { type RawBuilder, sql, type Transaction } from 'kysely';
import { AppError, badField } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isTaken, nameKey } from '../names.ts';
import type { Metadata } from '../parts.ts';
import { type Entity, findEntity } from './read.ts';

/** A change of an entity that a client asks for. Undefined members keep their values, or get the defaults of a new entity. */
export interface EntityChange {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

export interface WrittenEntity {
  readonly entity: Entity;
  /** Whether the write created it. */
  readonly isNew: boolean;
}

interface WrittenId extends Pick<WrittenEntity, 'isNew'> {
  readonly id: string;
}

const roundsMax = 5;

/**
 * Changes the entity with an id, or creates or changes the entity with a name. Without both it creates an entity.
 *
 * @throws AppError `bad-request` when no entity has the id, or when another entity has the name
 */
export async function writeEntity(store: Store, namespaceId: string, change: EntityChange): Promise<WrittenEntity> {
  try {
    return await store.transaction(async (tx) => {
      const { id, isNew } = await updateOrInsert(tx, namespaceId, change);
      const entity = await findEntity({ db: tx }, namespaceId, { id });
      if (entity === undefined) throw new AppError('internal', 'an entity that was just written does not exist');
      return { entity, isNew };
    });
  } catch (error) {
    throw isTaken(error) ? badField('name', 'entity name is already in use') : error;
  }
}

/** Repeats when another request creates or deletes an entity of the same name in between. */
async function updateOrInsert(
  tx: Transaction<Database>,
  namespaceId: string,
  change: EntityChange,
): Promise<WrittenId> {
  for (let round = 1; round <= roundsMax; round += 1) {
    const updated = await update(tx, namespaceId, change);
    if (updated !== undefined) return { id: updated, isNew: false };
    if (change.id !== undefined) throw badField('id', 'entity not found from id');
    const inserted = await insert(tx, namespaceId, change);
    if (inserted !== undefined) return { id: inserted, isNew: true };
  }
  throw badField('name', 'entity name is already in use');
}

async function update(tx: Transaction<Database>, namespaceId: string, change: EntityChange) {
  const { id, name, metadata, policies, disabled } = change;
  if (id === undefined && name === undefined) return undefined;
  const which = id === undefined ? sql`name_key = ${nameKey(name ?? '')}` : sql`id = ${id}`;
  const sets: RawBuilder<unknown>[] = [
    sql`version = version + 1, updated_at = now()`,
    ...(id === undefined || name === undefined ? [] : [sql`name = ${name}, name_key = ${nameKey(name)}`]),
    ...(metadata === undefined ? [] : [sql`metadata = ${JSON.stringify(metadata)}::jsonb`]),
    ...(policies === undefined ? [] : [sql`policies = ${policies}::text[]`]),
    ...(disabled === undefined ? [] : [sql`disabled = ${disabled}`]),
  ];
  const { rows } = await rowsOf({ id: text })`
    update entities set ${sql.join(sets)} where namespace_id = ${namespaceId} and ${which} returning id`.execute(tx);
  return rows[0]?.id;
}

async function insert(tx: Transaction<Database>, namespaceId: string, change: EntityChange) {
  const { metadata = {}, policies = [], disabled = false } = change;
  const id = uuid();
  const name = change.name ?? `entity-${id}`;
  const { rows } = await rowsOf({ id: text })`
    insert into entities (id, namespace_id, name, name_key, metadata, policies, disabled, created_at, updated_at)
    values (${id}, ${namespaceId}, ${name}, ${nameKey(name)}, ${JSON.stringify(metadata)}::jsonb, ${policies}::text[],
            ${disabled}, now(), now())
    on conflict (namespace_id, name_key) do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

/** Deletes entities with their aliases and memberships. Entities that do not exist are ignored. */
export async function deleteEntities(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  which: { readonly ids: readonly string[] } | { readonly name: string },
): Promise<void> {
  const named = 'ids' in which ? sql`id = any(${which.ids}::text[])` : sql`name_key = ${nameKey(which.name)}`;
  await sql`delete from entities where namespace_id = ${namespaceId} and ${named}`.execute(db);
}
