import type { Namespace } from '#core/namespace.ts';
import type { Accepted } from '#path/contract/reply.ts';

/**
 * Leases as the rows of `sys/leases` read and revoke them. A lease is anything issued for a limited time; its id is the issuing
 * path followed by a name. Prefixes match whole segments: `a/b` contains `a/b/c` but not `a/bc`.
 */
export interface Leases {
  /** Undefined when there is no such lease or it has ended. */
  find(id: string): Promise<Lease | undefined>;
  /** Names directly below a prefix and after `after`: leases, and prefixes with a final slash. Sorted by bytes. */
  list(prefix: string, after: string, limit: number): Promise<readonly string[]>;
  /** Revokes a lease and everything that depends on it. Succeeds for an unknown lease. */
  revoke(id: string): Promise<void>;
  /** Revokes the lease with this id and all leases below it as a prefix, as of now; stops when `signal` aborts. */
  revokePrefix(prefix: string, signal: AbortSignal): Promise<void>;
  /** Removes ended leases in the background. */
  tidy(): Promise<Accepted>;
}

/** The leases of a namespace. */
export type LeasesOf = (namespace: Namespace) => Leases;

export interface Lease {
  readonly id: string;
  readonly issued: Date;
  readonly expires: Date;
  readonly lastRenewed: Date | null;
  /** Seconds from now. */
  readonly ttl: number;
  readonly path: string;
  readonly renewable: boolean;
}
