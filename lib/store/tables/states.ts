// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/states.ts.
import {
  bigintText,
  bool,
  bytea,
  generated,
  int,
  json,
  nullable,
  oneOf,
  text,
  timestamptz,
  withDefault,
} from '../sql/kinds.ts';

export const wsBlobChunksTable = {
  blob_id: text,
  position: int,
  /** Sealed. */
  data: bytea,
};

export const wsBlobsTable = {
  id: text,
  workspace_id: text,
  kind: text,
  /** All of its chunks are stored. */
  whole: withDefault(bool),
  ending: nullable(bytea),
  created_at: withDefault(timestamptz),
  touched_at: withDefault(timestamptz),
};

export const wsStateOutputsTable = {
  id: text,
  state_version_id: text,
  position: int,
  name: text,
  sensitive: bool,
  type: text,
  detailed_type: json,
  /** Sealed. */
  value: bytea,
};

export const wsStateVersionsTable = {
  id: text,
  workspace_id: text,
  serial: bigintText,
  lineage: nullable(text),
  md5: nullable(text),
  status: withDefault(
    oneOf('pending', 'finalized', 'discarded', 'backing_data_soft_deleted', 'backing_data_permanently_deleted'),
  ),
  intermediate: withDefault(bool),
  created_by_kind: nullable(text),
  created_by: nullable(text),
  run_id: nullable(text),
  engine_version: nullable(text),
  state_format: nullable(int),
  size: withDefault(bigintText),
  resources_processed: withDefault(bool),
  resource_count: withDefault(int),
  resources: withDefault(json),
  modules: withDefault(json),
  providers: withDefault(json),
  json_outputs: nullable(bytea),
  state_blob_id: nullable(text),
  json_blob_id: nullable(text),
  rollback_of: nullable(text),
  /** The order in which state versions were made. */
  position: generated(bigintText),
  created_at: withDefault(timestamptz),
  lock_epoch: withDefault(bigintText),
};
