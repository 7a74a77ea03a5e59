import type { Generated } from 'kysely';
import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    kv_mounts: KvMountsTable;
    kv_secrets: KvSecretsTable;
    kv_versions: KvVersionsTable;
  }
}

/** Configuration of a KV v2 mount. 0 and false: not set. `delete_version_after` is in seconds; negative: never. */
export interface KvMountsTable {
  mount_id: string;
  max_versions: number;
  cas_required: boolean;
  delete_version_after: number;
}

/** KV v1 uses this table with one version per secret. */
export interface KvSecretsTable {
  mount_id: string;
  path: string;
  current_version: number;
  oldest_version: number;
  created_time: Timestamp;
  updated_time: Timestamp;
  max_versions: number;
  cas_required: boolean;
  delete_version_after: number;
  /** Sealed JSON object, or null. Additional data: `kv_secrets/<mount_id>/<path>`. */
  custom_metadata: Buffer | null;
  last_updated_by: Json<Attribution | null>;
  /** Grows when the row changes, so that a statement that waited for the row notices that its snapshot is older. */
  revision: Generated<number>;
}

/** Who has made a change of a secret, in the API family's words; null: not known. */
export interface Attribution {
  /** The display name of the token. */
  readonly actor: string;
  readonly operation: string;
  readonly entity_id?: string;
  readonly client_id: string;
}

export interface KvVersionsTable {
  mount_id: string;
  path: string;
  version: number;
  /** Random; binds the sealed data to this row. */
  id: string;
  /** Sealed JSON text; null once destroyed. Additional data: `kv_versions/<mount_id>/<path>/<id>`. */
  data: Buffer | null;
  created_time: Timestamp;
  /** May lie in the future (`delete_version_after`). Deleted means: not null and not after now. */
  deletion_time: Timestamp | null;
  destroyed: boolean;
  created_by: Json<Attribution | null>;
  /** Null also where a version was deleted by the passing of time. */
  deleted_by: Json<Attribution | null>;
  /** The sweep has notified the sync of a deletion that came by time. */
  deletion_seen: boolean;
}
