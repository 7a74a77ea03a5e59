/** A valid token as the store has it. */
export interface TokenRow {
  readonly hash: Buffer;
  readonly namespace_id: string;
  /** Empty for a batch token. */
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>> | null;
  readonly display_name: string;
  readonly path: string;
  readonly type: string;
  /** 0: unlimited; -1: the request under way is the last one. */
  readonly num_uses: number;
  /** Seconds; 0: none. The same holds for the other durations. */
  readonly period: number;
  readonly explicit_max_ttl: number;
  readonly creation_ttl: number;
  readonly creation_time: Date;
  /** Null: never. */
  readonly expire_at: Date | null;
  readonly last_renewal_at: Date | null;
  readonly renewable: boolean;
  readonly orphan: boolean;
  /** Name of the token role that it was created against; empty: none. */
  readonly role: string;
  /** CIDR blocks; empty: it may be used from everywhere. */
  readonly bound_cidrs: readonly string[];
  /** The entity of now: the one that the token's was merged into, if it was. Empty: the token is of none. */
  readonly entity_id: string;
  /** Another text after each change of the entity and of any group; null: the entity is disabled or gone, or there is none. */
  readonly entity_state: string | null;
  /** Revision of the mount table at this moment, so that a process notices that its copy is old. */
  readonly mounts_revision: number;
  /** The same of the policies. */
  readonly policies_revision: number;
  /** When the store was asked, by its own clock. */
  readonly seen_at: Date;
}
