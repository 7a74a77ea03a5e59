import type { Log } from '../../core/log.ts';
import type { Namespace, NamespaceDirectory } from '../../core/namespace.ts';
import type { LeaseTimes } from '../../path/lease-times.ts';
import type { Store } from '../../store/store.ts';
import type { Identities } from '../identity/facts/open.ts';
import type { HoldLogin } from '../mfa/login/contract.ts';
import type { TokenTarget } from './issue/mint.ts';
import type { RenewalLimitsOf } from './renewal-limits.ts';
import type { Reaper } from './revoke/reaper.ts';

export interface TokenParts {
  readonly store: Store;
  /** Makes a token where quotas leave capacity for it. Absent: there are no quotas. @throws AppError `too-many-requests` */
  readonly leaseCapacity?: {
    within<T>(
      origin: { readonly namespace: Namespace; readonly path: string; readonly role?: string | undefined },
      make: (target: TokenTarget) => Promise<T>,
    ): Promise<T>;
  };
  /** What entities bring to tokens. Absent: nobody else keeps a copy of it. */
  readonly identities?: Identities;
  /** Asks for a second factor. Absent: nothing enforces one. */
  readonly holdLogin?: HoldLogin;
  /** Deletes what is revoked. Absent: the sweep alone does. */
  readonly reaper?: Reaper;
  /** Absent: nothing is logged. */
  readonly log?: Log;
  /** The lease times that hold for a path of a namespace which made a token, in seconds. Absent: those of the system. */
  readonly leasesAt?: (path: string, namespaceId: string) => Promise<LeaseTimes>;
  /** What the role or user of a login says of renewals now. Absent: tokens are of no logins. */
  readonly renewalLimits?: RenewalLimitsOf;
  /** Absent: there is the root alone. */
  readonly namespaces?: NamespaceDirectory;
}
