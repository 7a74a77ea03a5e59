import { type RawBuilder, sql } from 'kysely';
import { unseen } from '../../../../store/postgres/unseen.ts';

/** A key-value tag that workspaces are to have. An empty value: whichever. */
export interface TaggedFilter {
  readonly key: string;
  readonly value: string;
}

/**
 * Whether the workspace `w` has a binding, its own or one of its project that it does not override. `is true` has the database read
 * the bound ones once and look each workspace up among them, which costs less than a join with all.
 */
export const isTagged = (organizationId: string, { key, value }: TaggedFilter): RawBuilder<unknown> =>
  sql`(w.id in (${boundTo(organizationId, sql`= ${unseen(key, 'text')}`, value === '' ? sql`true` : sql`b.value = ${unseen(value, 'text')}`)})) is true`;

/**
 * Whether the workspace `w` has one of these flat tags; bindings of a key alone count as such. The query in it does not depend on
 * `w`, so it is run once for a list, and few workspaces of a tag are found without looking at all.
 */
export const hasOneOf = (organizationId: string, names: readonly string[]): RawBuilder<unknown> => sql`w.id in (
  select f.workspace_id from ws_tags t join ws_workspace_tags f on f.tag_id = t.id
   where t.organization_id = ${unseen(organizationId, 'text')} and t.name = any(${unseen(names, 'text[]')})
  union all ${boundTo(organizationId, sql`= any(${unseen(names, 'text[]')})`, sql`b.value = ''`)})`;

function boundTo(
  organizationId: string,
  hasKey: RawBuilder<unknown>,
  hasValue: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const isBound = sql`b.organization_id = ${unseen(organizationId, 'text')} and b.key ${hasKey} and ${hasValue}`;
  return sql`
  select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and ${isBound}
  union all
  select i.id from ws_tag_bindings b join ws_workspaces i on i.project_id = b.project_id
   where b.project_id is not null and ${isBound}
     and not exists (select 1 from ws_tag_bindings o where o.workspace_id = i.id and o.key = b.key)`;
}
