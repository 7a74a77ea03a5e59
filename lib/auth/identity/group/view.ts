import { objectOf, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { groupAliasesTable, identityGroupsTable } from '#store/tables/identity.ts';
import { mountView, timeText } from '../alias/row.ts';
import type { Mounts } from '../parts.ts';

/** A row of `group_aliases`, or the same as JSON, in which times are texts. */
export type GroupAliasRow = RowOf<typeof groupAliasesTable> | RowOf<typeof aliasInJson>;

const aliasInJson = { ...groupAliasesTable, created_at: text, updated_at: text };

/** A row of `identity_groups`. */
export const groupRowColumns = { ...identityGroupsTable, type: oneOf('internal', 'external') };

/** A group with everything that clients read. */
export type Group = RowOf<typeof groupColumns>;

export const groupColumns = {
  ...groupRowColumns,
  alias: nullable(objectOf(aliasInJson)),
  member_entity_ids: arrayOf(text),
  member_group_ids: arrayOf(text),
  parent_group_ids: arrayOf(text),
};

/** A group as clients read it. */
export const groupView = (group: Group, mounts: Mounts): object => ({
  id: group.id,
  name: group.name,
  type: group.type,
  metadata: Object.keys(group.metadata).length === 0 ? null : group.metadata,
  policies: group.policies,
  member_entity_ids: group.type === 'external' && group.member_entity_ids.length === 0 ? null : group.member_entity_ids,
  member_group_ids: group.member_group_ids.length === 0 ? null : group.member_group_ids,
  parent_group_ids: group.parent_group_ids,
  alias: group.alias === null ? {} : groupAliasView(group.alias, mounts),
  creation_time: timeText(group.created_at),
  last_update_time: timeText(group.updated_at),
  modify_index: 1,
  namespace_id: group.namespace_id,
});

export const groupAliasView = (alias: GroupAliasRow, mounts: Mounts): object => ({
  id: alias.id,
  canonical_id: alias.group_id,
  ...mountView(alias.mount_accessor, mounts),
  name: alias.name,
  metadata: null,
  creation_time: timeText(alias.created_at),
  last_update_time: timeText(alias.updated_at),
});
