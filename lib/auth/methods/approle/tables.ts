import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    approle_roles: ApproleRolesTable;
    approle_secret_ids: ApproleSecretIdsTable;
  }
}

/** Roles of mounts of the type `approle`. */
export interface ApproleRolesTable {
  id: string;
  mount_id: string;
  /** Lower-cased. */
  name: string;
  /** What a login names the role by. */
  role_id: string;
  settings: Json<Record<string, unknown>>;
  updated_at: Timestamp;
}

export interface ApproleSecretIdsTable {
  role: string;
  /** Keyed hash of the mount's id and the secret id. */
  hash: Buffer;
  accessor: string;
  /** 0: without limit. */
  num_uses: number;
  /** With a limit: what is left of it; 0: it is used up. */
  uses_left: number;
  /** Seconds; 0: it does not expire. */
  ttl: number;
  metadata: Json<Record<string, string>>;
  /** Blocks of addresses that logins may come from. */
  cidrs: string[];
  /** Blocks of addresses that tokens may be used from; empty: as the role says. */
  token_cidrs: string[];
  created_at: Timestamp;
  updated_at: Timestamp;
  expire_at: Timestamp | null;
}
