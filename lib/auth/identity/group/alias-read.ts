import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { mountView } from '../alias/row.ts';
import type { Listed, Page } from '../paging.ts';
import type { Mounts } from '../parts.ts';
import type { GroupAliasRow } from './view.ts';

export async function findGroupAlias({ db }: Pick<Store, 'db'>, namespaceId: string, id: string) {
  const { rows } = await sql<GroupAliasRow>`
    select * from group_aliases where namespace_id = ${namespaceId} and id = ${id}`.execute(db);
  return rows[0];
}

/** A page of aliases of groups by id. */
export async function groupAliasPage(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  { after, limit }: Page,
  mounts: Mounts,
): Promise<readonly Listed[]> {
  const { rows } = await sql<GroupAliasRow>`
    select * from group_aliases where namespace_id = ${namespaceId} and id > ${after} order by id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id, group_id, name, mount_accessor }) => ({
    key: id,
    info: { name, canonical_id: group_id, ...mountView(mount_accessor, mounts) },
  }));
}
