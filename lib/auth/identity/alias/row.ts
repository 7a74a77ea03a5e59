import { objectsOf, type RowOf } from '#store/sql/columns.ts';
import { text } from '#store/sql/kinds.ts';
import { entityAliasesTable } from '#store/tables/identity.ts';
import type { Mounts } from '../parts.ts';

/** A row of `entity_aliases`, or the same as JSON. The metadata is that of the last login. */
export type AliasRow = RowOf<typeof entityAliasesTable> | RowOf<typeof aliasInJson>;

/** In JSON, times are texts. */
const aliasInJson = { ...entityAliasesTable, created_at: text, updated_at: text };

/** The aliases of an entity, as `json_agg` returns them. */
export const aliasesInJson = objectsOf(aliasInJson);

/** An alias as clients read it. Path and type are empty when its mount no longer exists. */
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
