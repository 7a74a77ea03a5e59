/** What a token is made of. Durations are in seconds; 0: none. */
export interface NewToken {
  /** Its text; absent: a random one. What names the namespace is added to it. */
  readonly id?: string | undefined;
  /** Absent: the root. */
  readonly namespaceId?: string | undefined;
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
  readonly entityId?: string | undefined;
  /** Name of the token role; empty: none. */
  readonly role?: string | undefined;
  /** Name of the role that somebody has logged in by; absent: none. */
  readonly loginRole?: string | undefined;
  /** CIDR blocks that it may be used from; empty: everywhere. */
  readonly boundCidrs?: readonly string[] | undefined;
}
