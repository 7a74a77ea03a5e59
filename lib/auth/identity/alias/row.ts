import type { Metadata, Mounts } from '../parts.ts';

/** An alias of an entity as the store has it. */
export interface AliasRow {
  readonly id: string;
  readonly entity_id: string;
  readonly mount_accessor: string;
  readonly name: string;
  /** Of the last login. */
  readonly metadata: Metadata;
  readonly custom_metadata: Metadata;
  readonly local: boolean;
  readonly merged_from: readonly string[];
  /** Text where it comes in JSON. */
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

/** An alias as it is shown. Of a mount that is not there any more, path and type are empty. */
export const aliasView = (alias: AliasRow, mounts: Mounts): object => ({
  id: alias.id,
  canonical_id: alias.entity_id,
  ...mountView(alias.mount_accessor, mounts),
  name: alias.name,
  metadata: alias.metadata,
  custom_metadata: alias.custom_metadata,
  merged_from_canonical_ids: alias.merged_from.length === 0 ? null : alias.merged_from,
  local: alias.local,
  creation_time: timeText(alias.created_at),
  last_update_time: timeText(alias.updated_at),
});

export const mountView = (accessor: string, mounts: Mounts) => ({
  mount_accessor: accessor,
  mount_path: mounts.get(accessor)?.path ?? '',
  mount_type: mounts.get(accessor)?.type ?? '',
});

export const timeText = (time: Date | string): string => new Date(time).toISOString();
