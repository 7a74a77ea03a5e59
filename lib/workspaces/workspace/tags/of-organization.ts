import { sql } from 'kysely';
import { identifiersOf } from '../../../path/jsonapi/body.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { isReadable } from '../../access/readable.ts';
import { managesWorkspaces, standingIn, standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { bindTag } from './bind.ts';
import { type TagRow, tagColumns, tagResource } from './view.ts';

/**
 * A page of the flat tags of the workspaces that the caller may read, by name. `q` finds a part of the name,
 * `filter[exclude][taggable][id]` leaves out what a workspace has.
 */
export async function listOrganizationTags(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const tagged = call.query.get('filter[exclude][taggable][id]') ?? '';
  const matching = sql`from ws_tags t
    where t.organization_id = ${standing.organization.id} and t.name like lower(${likePattern(call.query.get('q'))})
      and exists (select 1 from ws_workspace_tags b join ws_workspaces w on w.id = b.workspace_id
                   where b.tag_id = t.id and ${isReadable(standing)})
      and (${tagged} = '' or not exists (
        select 1 from ws_workspace_tags x where x.tag_id = t.id and x.workspace_id = ${tagged}))`;
  const { rows } = await sql<TagRow & { readonly total: number }>`
    select c.total, t.* from (select count(*)::integer as total ${matching}) c
      left join (select ${tagColumns} ${matching} order by t.name limit ${page.size} offset ${page.offset}) t on true
     order by t.name`.execute(parts.store.db);
  const shown = rows.filter(({ id }) => id !== null);
  return { data: shown.map((row) => tagResource(standing, row)), page: told(page, rows[0]?.total ?? 0) };
}

/** Removes tags from the organization and all of its workspaces, which takes the management of all of them. */
export async function removeOrganizationTags({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(managesWorkspaces(standing));
  const ids = identifiersOf(call, 'tags').map(({ id }) => id);
  await sql`
    with held as (select id from ws_tags where organization_id = ${standing.organization.id}
                     and id = any(${ids}::text[]) order by name for update)
    delete from ws_tags where id in (select id from held)`.execute(store.db);
}

/** Binds a tag to workspaces of which the caller is an administrator. @throws ApiError 404 for others */
export async function tagWorkspaces({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const tagId = call.parameters['tag_id'] ?? '';
  const standing = await standingOf(store, call.caller, sql`(select organization_id from ws_tags where id = ${tagId})`);
  const ids = identifiersOf(call, 'workspaces').map(({ id }) => id);
  await store.transaction((tx) => bindTag(tx, standing, tagId, [...new Set(ids)]));
}
