import { type RawBuilder, sql } from 'kysely';

/** A key-value tag that workspaces are to have. An empty value: whichever. */
export interface TaggedFilter {
  readonly key: string;
  readonly value: string;
}

/** Whether the workspace `w` has a binding, its own or one of its project that it does not override. */
export const isTagged = ({ key, value }: TaggedFilter): RawBuilder<unknown> =>
  sql`w.id in (${boundTo([key], value === '' ? sql`true` : sql`b.value = ${value}`)})`;

/**
 * Whether the workspace `w` has a flat tag; bindings of that key count as such, whatever
 * their value. Flat tags have small letters. The query in it does not depend on `w`, so it
 * is run once for a list, and few workspaces of a tag are found without looking at all.
 */
export const hasTag = (organizationId: string, name: string): RawBuilder<unknown> => sql`w.id in (
  select f.workspace_id from ws_tags t join ws_workspace_tags f on f.tag_id = t.id
   where t.organization_id = ${organizationId} and t.name = ${name.toLowerCase()}
  union all ${boundTo([name, name.toLowerCase()], sql`true`)})`;

const boundTo = (keys: readonly string[], condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and b.key = any(${keys}::text[]) and ${condition}
  union all
  select i.id from ws_tag_bindings b join ws_workspaces i on i.project_id = b.project_id
   where b.project_id is not null and b.key = any(${keys}::text[]) and ${condition}
     and not exists (select 1 from ws_tag_bindings o where o.workspace_id = i.id and o.key = b.key)`;
