import { mountView, timeText } from '../alias/row.ts';
import type { Metadata, Mounts } from '../parts.ts';

/** An alias of a group as the store has it. */
export interface GroupAliasRow {
  readonly id: string;
  readonly group_id: string;
  readonly mount_accessor: string;
  readonly name: string;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

/** A group with all that is shown of it. */
export interface Group {
  readonly id: string;
  readonly namespace_id: string;
  readonly name: string;
  readonly type: 'internal' | 'external';
  readonly metadata: Metadata;
  readonly policies: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly alias: GroupAliasRow | null;
  readonly member_entity_ids: readonly string[];
  readonly member_group_ids: readonly string[];
  readonly parent_group_ids: readonly string[];
}

/** A group as it is read. */
export const groupView = (group: Group, mounts: Mounts): object => ({
  id: group.id,
  name: group.name,
  type: group.type,
  metadata: Object.keys(group.metadata).length === 0 ? null : group.metadata,
  policies: group.policies,
  member_entity_ids: group.member_entity_ids,
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
