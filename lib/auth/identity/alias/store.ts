import { type Kysely, sql } from 'kysely';
import type { ListedEntry, Page } from '#path/listing.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Mounts } from '../parts.ts';
import { type AliasRow, mountView } from './row.ts';

export async function findAlias(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  id: string,
): Promise<AliasRow | undefined> {
  return db
    .selectFrom('entity_aliases')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A page of aliases in the order of their ids. */
export async function aliasPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
  mounts: Mounts,
): Promise<readonly ListedEntry[]> {
  const rows = await db
    .selectFrom('entity_aliases')
    .select(['id', 'entity_id', 'name', 'local', 'custom_metadata', 'mount_accessor'])
    .where('namespace_id', '=', namespaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, entity_id, name, local, custom_metadata, mount_accessor }) => ({
    key: id,
    info: { name, canonical_id: entity_id, local, custom_metadata, ...mountView(mount_accessor, mounts) },
  }));
}

/** Deletes an alias and keeps its entity. An alias that does not exist is a success. */
export async function deleteAlias({ transaction }: Store, namespaceId: string, id: string): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await rowsOf({ entity_id: text })`
      delete from entity_aliases where namespace_id = ${namespaceId} and id = ${id} returning entity_id`.execute(tx);
    await touchEntities(
      tx,
      rows.map((row) => row.entity_id),
    );
  });
}

/** Makes cached facts about these entities stale. */
export async function touchEntities(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await sql`update entities set version = version + 1, updated_at = now() where id = any(${ids}::text[])`.execute(db);
}
