import type { Generated } from 'kysely';
import type { Json, Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    mounts: MountsTable;
    mount_moves: MountMovesTable;
    namespaces: NamespacesTable;
  }
}

export interface MountsTable {
  id: Generated<string>;
  namespace_id: Generated<string>;
  /** In the namespace, with a trailing slash; auth methods are at `auth/<path>/`. */
  path: string;
  type: string;
  accessor: string;
  description: string;
  options: Json<Record<string, string> | null>;
  config: Json<Record<string, unknown>>;
  local: boolean;
  seal_wrap: boolean;
  created_at: Generated<Timestamp>;
  /** Since when it is disabled and its content being removed; null: it is mounted. Its path leads nowhere then. */
  removed_at: Timestamp | null;
  removed_path: string | null;
}

/** Moves of mounts that have ended; the newest are kept. */
export interface MountMovesTable {
  id: string;
  namespace_id: Generated<string>;
  /** Paths with a trailing slash. */
  source: string;
  target: string;
  ended_at: Timestamp;
}

/** Namespaces other than the root. */
export interface NamespacesTable {
  /** Five characters of base 62; tokens of the namespace end in it. */
  id: string;
  uuid: Generated<string>;
  /** Full path with a trailing slash. */
  path: string;
  custom_metadata: Json<Record<string, string>>;
  /** Keyed hash of what unlocks it; null: it is not locked. */
  unlock_key: Buffer | null;
  /** Since when it is being deleted; null: it is not. */
  deleted_at: Timestamp | null;
}
