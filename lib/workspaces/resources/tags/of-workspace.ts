import { sql, type Transaction } from 'kysely';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { FoundWorkspace, WorkspaceRow } from '../../access/workspace.ts';
import { likePattern } from '../../frame/like.ts';
import { idsOf, type NamedTags, namesOf } from './named.ts';
import { tagColumns, tagResource, tagRowColumns } from './view.ts';
import { addTags } from './write.ts';

/** A page of the flat tags of a workspace, in the order in which they were added. `name` matches any part of a name. */
export async function listWorkspaceTags(
  { db }: Store,
  { workspace, standing }: FoundWorkspace,
  { page, name }: { readonly page: Page; readonly name: string | null },
): Promise<DocumentReply> {
  const { rows } = await rowsOf(tagRowColumns)`
    select ${tagColumns}
      from ws_workspace_tags b join ws_tags t on t.id = b.tag_id
     where b.workspace_id = ${workspace.id} and t.name like lower(${likePattern(name)})
     order by b.position`.execute(db);
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => tagResource(standing, row)), page: pageInfo(page, rows.length) };
}

type Tagged = Pick<WorkspaceRow, 'id' | 'organization_id'>;

/** Adds tags by name, creating missing ones, or by id. */
export function addWorkspaceTags(
  store: Store,
  { id, organization_id }: Tagged,
  { ids, names }: NamedTags,
): Promise<undefined> {
  return store.transaction(async (tx) => {
    await holdWorkspace(tx, id);
    await addTags(tx, organization_id, id, [...names, ...(await namesOf(tx, organization_id, ids))]);
    return undefined;
  });
}

/** Removes tags. Unknown names are ignored. @throws ApiError 404 for an id that is not in the organization */
export function removeWorkspaceTags(
  store: Store,
  { id, organization_id }: Tagged,
  { ids, names }: NamedTags,
): Promise<undefined> {
  return store.transaction(async (tx) => {
    await holdWorkspace(tx, id);
    await namesOf(tx, organization_id, ids);
    await removeTags(tx, id, [...ids, ...(await idsOf(tx, organization_id, names))]);
    return undefined;
  });
}

/** Removes tags from a workspace, by their ids. A tag is deleted with its last workspace. */
async function removeTags(tx: Transaction<Database>, workspaceId: string, tagIds: readonly string[]): Promise<void> {
  await hold(tx, tagIds);
  await sql`delete from ws_workspace_tags where workspace_id = ${workspaceId} and tag_id = any(${tagIds}::text[])`.execute(
    tx,
  );
  await sql`
    delete from ws_tags t where t.id = any(${tagIds}::text[])
       and not exists (select 1 from ws_workspace_tags where tag_id = t.id)`.execute(tx);
}

/** Locks tags in a fixed order before the removal: a concurrent request that adds one of them waits, and then creates it again. */
const hold = (tx: Transaction<Database>, tagIds: readonly string[]): Promise<unknown> =>
  sql`select id from ws_tags where id = any(${tagIds}::text[]) order by name for update`.execute(tx);
