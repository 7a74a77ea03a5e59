import { type Kysely, sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { Listed, Page } from '../paging.ts';
import type { Mounts } from '../parts.ts';
import { type AliasRow, mountView } from './row.ts';

export async function findAlias(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  id: string,
): Promise<AliasRow | undefined> {
  const { rows } = await sql<AliasRow>`
    select * from entity_aliases where namespace_id = ${namespaceId} and id = ${id}`.execute(db);
  return rows[0];
}

/** A page of aliases by id. */
export async function aliasPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
  mounts: Mounts,
): Promise<readonly Listed[]> {
  const { rows } = await sql<AliasRow>`
    select * from entity_aliases where namespace_id = ${namespaceId} and id > ${after}
     order by id limit ${limit}`.execute(db);
  return rows.map(({ id, entity_id, name, local, custom_metadata, mount_accessor }) => ({
    key: id,
    info: { name, canonical_id: entity_id, local, custom_metadata, ...mountView(mount_accessor, mounts) },
  }));
}

/** What is not there is deleted already. The entity stays. */
export async function deleteAlias({ transaction }: Store, namespaceId: string, id: string): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await sql<{ entity_id: string }>`
      delete from entity_aliases where namespace_id = ${namespaceId} and id = ${id} returning entity_id`.execute(tx);
    await touchEntities(
      tx,
      rows.map((row) => row.entity_id),
    );
  });
}

/** What is kept of these entities is old from now on. */
export async function touchEntities(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await sql`update entities set version = version + 1, updated_at = now() where id = any(${ids}::text[])`.execute(db);
}
