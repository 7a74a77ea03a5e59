import { type RawBuilder, sql } from 'kysely';

/** A key-value tag that workspaces are to have. An empty value: whichever. */
export interface TaggedFilter {
  readonly key: string;
  readonly value: string;
}

/** Whether the workspace `w` has a binding, its own or one of its project that it does not override. */
export const isTagged = ({ key, value }: TaggedFilter): RawBuilder<unknown> =>
  isBound(key, value === '' ? sql`true` : sql`b.value = ${value}`);

/** Whether the workspace `w` has a flat tag; bindings of a key alone count as such. */
export const hasTag = (organizationId: string, name: string): RawBuilder<unknown> => sql`(w.id in (
    select f.workspace_id from ws_tags t join ws_workspace_tags f on f.tag_id = t.id
     where t.organization_id = ${organizationId} and t.name = ${name})
  or ${isBound(name, sql`b.value = ''`)})`;

/** The queries do not depend on `w`, so each is run once for a list, however many workspaces there are. */
const isBound = (key: string, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`(w.id in (
    select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and b.key = ${key} and ${condition})
  or (w.project_id in (
    select b.project_id from ws_tag_bindings b where b.project_id is not null and b.key = ${key} and ${condition})
  and w.id not in (
    select b.workspace_id from ws_tag_bindings b where b.workspace_id is not null and b.key = ${key})))`;
