import type { Json, Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    tokens: TokensTable;
  }
}

export interface TokensTable {
  /** Keyed hash of the token. */
  hash: Buffer;
  accessor: string;
  parent: Buffer | null;
  policies: string[];
  meta: Json<Record<string, string> | null>;
  display_name: string;
  path: string;
  type: string;
  /** 0: unlimited; -1: used up, being revoked. */
  num_uses: number;
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
  bound_cidrs: string[];
}
