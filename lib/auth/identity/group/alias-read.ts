import type { ListedEntry, Page } from '#path/listing.ts';
import type { Store } from '#store/store.ts';
import { mountView } from '../alias/row.ts';
import type { Mounts } from '../parts.ts';

export const findGroupAlias = ({ db }: Pick<Store, 'db'>, namespaceId: string, id: string) =>
  db
    .selectFrom('group_aliases')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('id', '=', id)
    .executeTakeFirst();

/** A page of aliases of groups in the order of their ids. */
export async function groupAliasPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
  mounts: Mounts,
): Promise<readonly ListedEntry[]> {
  const rows = await db
    .selectFrom('group_aliases')
    .select(['id', 'group_id', 'name', 'mount_accessor'])
    .where('namespace_id', '=', namespaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, group_id, name, mount_accessor }) => ({
    key: id,
    info: { name, canonical_id: group_id, ...mountView(mount_accessor, mounts) },
  }));
}
