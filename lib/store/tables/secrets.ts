// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/secrets.ts.
import { bool, bytea, int, json, nullable, text, timestamptz, uuid, withDefault } from '../sql/kinds.ts';

/** Secrets that belong to one token and are deleted with it. */
export const cubbyholeTable = {
  token_hash: bytea,
  path: text,
  /** Sealed JSON object. Additional data: `cubbyhole/<token_hash in hex>/<path>`. */
  data: bytea,
};

/** The configuration of a KV v2 mount. 0 and false mean: not set. */
export const kvMountsTable = {
  mount_id: uuid,
  max_versions: int,
  cas_required: bool,
  /** Seconds; negative: never. */
  delete_version_after: int,
};

/** Secrets of both versions of KV. Those of version 1 have one version each. */
export const kvSecretsTable = {
  mount_id: uuid,
  path: text,
  current_version: int,
  oldest_version: int,
  created_time: timestamptz,
  updated_time: timestamptz,
  max_versions: int,
  cas_required: bool,
  delete_version_after: int,
  /** Sealed JSON object. Additional data: `kv_secrets/<mount_id>/<path>`. */
  custom_metadata: nullable(bytea),
  /** Grows with every change of the row: a statement that waited for the row sees that its snapshot is older. */
  revision: withDefault(int),
  last_updated_by: nullable(json),
};

export const kvVersionsTable = {
  mount_id: uuid,
  path: text,
  version: int,
  /** Random; binds the sealed data to this row. */
  id: uuid,
  /** Sealed JSON text; null once destroyed. Additional data: `kv_versions/<mount_id>/<path>/<id>`. */
  data: nullable(bytea),
  created_time: timestamptz,
  /** May be in the future (`delete_version_after`). A version is deleted when this is set and not in the future. */
  deletion_time: nullable(timestamptz),
  destroyed: bool,
  /** The sweep has notified the sync of a deletion that came with time. */
  deletion_seen: bool,
  created_by: nullable(json),
  /** Also null for a version that was deleted because its time was up. */
  deleted_by: nullable(json),
};
