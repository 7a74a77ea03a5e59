import type { Generated } from 'kysely';
import type { Json, Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    tokens: TokensTable;
    token_roles: TokenRolesTable;
    token_tidy: TokenTidyTable;
  }
}

export interface TokensTable {
  /** Keyed hash of the token. */
  hash: Buffer;
  namespace_id: Generated<string>;
  accessor: string;
  parent: Buffer | null;
  policies: string[];
  meta: Json<Record<string, string> | null>;
  display_name: string;
  path: string;
  type: string;
  /** 0: unlimited; -1: used up. */
  num_uses: number;
  /** Of a token that is used up: until then the request of its last use may need it. */
  in_use_until: Generated<Timestamp>;
  /** Seconds; 0: none. */
  period: number;
  explicit_max_ttl: number;
  creation_ttl: number;
  creation_time: Timestamp;
  /** Null: never. */
  expire_at: Timestamp | null;
  last_renewal_at: Timestamp | null;
  renewable: boolean;
  orphan: boolean;
  entity_id: string;
  role: string;
  /** The role of an auth method that it was made for by a login; empty: none. */
  login_role: Generated<string>;
  bound_cidrs: string[];
  /** Since when it and its tree are refused; null: it is not being revoked. */
  revoked_at: Timestamp | null;
}

export interface TokenRolesTable {
  namespace_id: Generated<string>;
  name: string;
  settings: Json<Record<string, unknown>>;
  updated_at: Timestamp;
}

/** The run of tidy that is under way, or was the last. */
export interface TokenTidyTable {
  namespace_id: Generated<string>;
  run: string;
  /** Another run may begin from then on: the process of this one has ended, however it did. */
  held_until: Timestamp;
}
