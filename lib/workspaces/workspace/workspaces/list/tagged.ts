import { type RawBuilder, sql } from 'kysely';

/** A key-value tag that workspaces are to have. An empty value: whichever. */
export interface TaggedFilter {
  readonly key: string;
  readonly value: string;
}

/**
 * Joins workspaces `w` that have a binding, their own or one of their project that they do not override. It has each of them once:
 * a join, unlike `in`, does not look for those that are there twice.
 */
export const joinTagged = ({ key, value }: TaggedFilter, at: number): RawBuilder<unknown> => {
  const name = sql.ref(`tagged_${at}`);
  return sql`join (${boundTo(sql`= ${key}`, value === '' ? sql`true` : sql`b.value = ${value}`)}) ${name} on ${name}.workspace_id = w.id`;
};

/**
 * Whether the workspace `w` has one of these flat tags; bindings of a key alone count as such. The query in it does not depend on
 * `w`, so it is run once for a list, and few workspaces of a tag are found without looking at all.
 */
export const hasOneOf = (organizationId: string, names: readonly string[]): RawBuilder<unknown> => sql`w.id in (
  select f.workspace_id from ws_tags t join ws_workspace_tags f on f.tag_id = t.id
   where t.organization_id = ${organizationId} and t.name = any(${names}::text[])
  union all ${boundTo(sql`= any(${names}::text[])`, sql`b.value = ''`)})`;

const boundTo = (hasKey: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and b.key ${hasKey} and ${condition}
  union all
  select i.id from ws_tag_bindings b join ws_workspaces i on i.project_id = b.project_id
   where b.project_id is not null and b.key ${hasKey} and ${condition}
     and not exists (select 1 from ws_tag_bindings o where o.workspace_id = i.id and o.key = b.key)`;
