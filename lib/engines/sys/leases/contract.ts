import type { Namespace } from '../../../core/namespace.ts';
import type { Reply } from '../../../path/contract/reply.ts';

/**
 * Leases as the rows of `sys/leases` read and end them. A lease is anything that has been given for a time; its id is the path
 * that gave it with a name behind. Prefixes are whole segments: `a/b` holds `a/b/c` and not `a/bc`.
 */
export interface Leases {
  /** Undefined: there is no such lease, or it has ended. */
  find(id: string): Promise<Lease | undefined>;
  /** Names right below a prefix, behind `after`: leases, and with a slash what holds more. Sorted by bytes. */
  list(prefix: string, after: string, limit: number): Promise<readonly string[]>;
  /** Ends a lease with all that depends on it. One that is not there is a success. */
  revoke(id: string): Promise<void>;
  /** Ends the lease of this id and all below it as a prefix, as of now; stops when `signal` ends. */
  revokePrefix(prefix: string, signal: AbortSignal): Promise<void>;
  /** Removes what has ended and was left behind, in the background. */
  tidy(): Promise<Reply>;
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
