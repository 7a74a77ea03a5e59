import { sql, type Transaction } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { text } from '#store/sql/kinds.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { isReadable } from '../../access/readable.ts';
import { grantsOfWorkspace, levelsOf, type Standing } from '../../access/standing.ts';
import { grantColumns, grantedColumns, grantedIn } from '../../access/workspace.ts';
import { likePattern } from '../../frame/like.ts';
import { tagColumns, tagResource, tagRowColumns } from './view.ts';
import { addTags } from './write.ts';

interface TagQuery {
  readonly page: Page;
  /** A part of the name. */
  readonly q: string | null;
  /** The id of a workspace whose tags are excluded. */
  readonly without: string | null;
}

/** A page of the flat tags of the workspaces that the caller may read, ordered by name. */
export async function listOrganizationTags(
  { db }: Store,
  standing: Standing,
  { page, q, without }: TagQuery,
): Promise<DocumentReply> {
  const matching = sql`from ws_tags t
    where t.organization_id = ${standing.organization.id} and t.name like lower(${likePattern(q)})
      and exists (select 1 from ws_workspace_tags b join ws_workspaces w on w.id = b.workspace_id
                   where b.tag_id = t.id and ${isReadable(standing)})
      and (${without ?? ''} = '' or not exists (
        select 1 from ws_workspace_tags x where x.tag_id = t.id and x.workspace_id = ${without ?? ''}))`;
  const { rows } = await pageRowsOf(tagRowColumns)`
    select c.total, t.* from (select count(*)::integer as total ${matching}) c
      left join (select ${tagColumns} ${matching} order by t.name limit ${page.size} offset ${page.offset}) t on true
     order by t.name`.execute(db);
  const data = rows.flatMap((row) => (row.id === null ? [] : [tagResource(standing, row)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}

/** Removes tags from the organization and all of its workspaces. */
export async function removeOrganizationTags(
  { db }: Store,
  { organization }: Standing,
  ids: readonly string[],
): Promise<undefined> {
  await sql`
    with held as (select id from ws_tags where organization_id = ${organization.id}
                     and id = any(${ids}::text[]) order by name for update)
    delete from ws_tags where id in (select id from held)`.execute(db);
}

/** Adds a tag to workspaces that the caller administers. @throws ApiError 404 for any other workspace */
export const tagWorkspaces = (
  store: Store,
  standing: Standing,
  tagId: string,
  workspaceIds: readonly string[],
): Promise<undefined> =>
  store.transaction(async (tx) => {
    await bindTag(tx, standing, tagId, [...new Set(workspaceIds)]);
    return undefined;
  });

/** Adds a flat tag to workspaces of its organization. @throws ApiError 404 unless the caller administers all of them */
async function bindTag(
  tx: Transaction<Database>,
  standing: Standing,
  tagId: string,
  workspaceIds: readonly string[],
): Promise<void> {
  const { id: organizationId } = standing.organization;
  const { rows: tags } = await rowsOf({ name: text })`
    select name from ws_tags where id = ${tagId} and organization_id = ${organizationId}`.execute(tx);
  const [tag] = tags;
  if (tag === undefined) throw notFound();
  const { rows } = await rowsOf(grantedColumns)`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.organization_id = ${organizationId} and w.id = any(${workspaceIds}::text[])
     order by w.id for no key update of w`.execute(tx);
  const mine = rows.filter((row) => levelsOf(standing, grantedIn(row)).admin);
  if (mine.length < workspaceIds.length) throw notFound();
  await addTags(tx, organizationId, workspaceIds, [tag.name]);
}
