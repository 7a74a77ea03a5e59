import { type RawBuilder, sql } from 'kysely';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';

/** A filter for a key-value tag. An empty value matches any value. */
export interface TaggedFilter {
  readonly key: string;
  readonly value: string;
}

/**
 * Whether the workspace `w` has a binding, either its own or one of its project that it does not override. `is true` makes PostgreSQL
 * read the matching workspaces once and look up each workspace among them, which is cheaper than a join.
 */
export const isTagged = (organizationId: string, { key, value }: TaggedFilter): RawBuilder<unknown> =>
  sql`(w.id in (${boundTo(organizationId, sql`= ${opaqueParameter(key, 'text')}`, value === '' ? sql`true` : sql`b.value = ${opaqueParameter(value, 'text')}`)})) is true`;

/**
 * Whether the workspace `w` has one of these flat tags; bindings without a value count as flat tags. The subquery does not depend on
 * `w`, so it runs once per list, and few workspaces with a tag are found without reading all.
 */
export const hasOneOf = (organizationId: string, names: readonly string[]): RawBuilder<unknown> => sql`w.id in (
  select f.workspace_id from ws_tags t join ws_workspace_tags f on f.tag_id = t.id
   where t.organization_id = ${opaqueParameter(organizationId, 'text')} and t.name = any(${opaqueParameter(names, 'text[]')})
  union all ${boundTo(organizationId, sql`= any(${opaqueParameter(names, 'text[]')})`, sql`b.value = ''`)})`;

function boundTo(
  organizationId: string,
  hasKey: RawBuilder<unknown>,
  hasValue: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const isBound = sql`b.organization_id = ${opaqueParameter(organizationId, 'text')} and b.key ${hasKey} and ${hasValue}`;
  return sql`
  select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and ${isBound}
  union all
  select i.id from ws_tag_bindings b join ws_workspaces i on i.project_id = b.project_id
   where b.project_id is not null and ${isBound}
     and not exists (select 1 from ws_tag_bindings o where o.workspace_id = i.id and o.key = b.key)`;
}
