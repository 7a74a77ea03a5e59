/** A token as a login or `token/create` asks for it. */
export interface TokenRequest {
  /** Shown to people. */
  readonly displayName: string;
  /** The wanted policies; blanks, capitals and duplicates do not matter. */
  readonly policies: readonly string[];
  /** Shown with the token and passed to audit devices; never a secret. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The role of the login, which lease quotas can be bound to. Absent for a token that no login made. */
  readonly role?: string;
  readonly bounds: TokenBounds;
}

/** Limits of a token. Durations are in seconds; 0 sets no limit. */
export interface TokenBounds {
  readonly ttl: number;
  /** The longest life with all renewals, within what the mount allows. */
  readonly maxTtl: number;
  /** The longest life with all renewals, fixed when the token is created. */
  readonly explicitMaxTtl: number;
  /** Makes the token periodic. */
  readonly period: number;
  /** Number of allowed uses; 0 for unlimited. */
  readonly numUses: number;
  readonly renewable: boolean;
  /** Leaves the policy `default` out. */
  readonly noDefaultPolicy: boolean;
  readonly type: 'service' | 'batch';
  /** CIDR blocks that the token may be used from; empty for any address. */
  readonly cidrs: readonly string[];
}
