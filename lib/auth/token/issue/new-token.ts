/** A token before it is written. Durations are in seconds; 0 sets no limit. */
export interface NewToken {
  /** The text of the token, before the suffix of the namespace. Absent for a random one. */
  readonly id?: string | undefined;
  readonly namespaceId: string;
  readonly parent: Buffer | null;
  readonly policies: readonly string[];
  readonly meta: Readonly<Record<string, string>> | null;
  readonly displayName: string;
  readonly path: string;
  readonly ttl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly numUses: number;
  readonly renewable: boolean;
  readonly orphan: boolean;
  /** Empty for a token without an entity. */
  readonly entityId: string;
  /** Name of the token role; empty for none. */
  readonly role: string;
  /** Name of the role of the login; empty for none. */
  readonly loginRole: string;
  /** CIDR blocks that the token may be used from; empty for any address. */
  readonly boundCidrs: readonly string[];
}
