import type { Generated } from 'kysely';
import type { Json, Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    mounts: MountsTable;
    mount_moves: MountMovesTable;
  }
}

export interface MountsTable {
  id: Generated<string>;
  /** With a trailing slash; auth methods are at `auth/<path>/`. */
  path: string;
  type: string;
  accessor: string;
  description: string;
  options: Json<Record<string, string> | null>;
  config: Json<Record<string, unknown>>;
  local: boolean;
  seal_wrap: boolean;
  created_at: Generated<Timestamp>;
}

/** Moves of mounts that have ended; the newest are kept. */
export interface MountMovesTable {
  id: string;
  /** Paths with a trailing slash. */
  source: string;
  target: string;
  ended_at: Timestamp;
}
