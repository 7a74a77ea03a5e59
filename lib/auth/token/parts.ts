import type { Log } from '#core/log/log.ts';
import type { NamespaceDirectory } from '#core/namespace.ts';
import type { LeaseTimes } from '#path/contract/mount.ts';
import type { Identities } from './identities.ts';
import type { IssueParts } from './issue/issue.ts';
import type { RenewalLimitsOf } from './renewal-limits.ts';
import type { RevokeParts } from './revoke/revoke.ts';

/** What tokens are made, renewed and revoked with. Every part is required: leaving one out would drop a check. */
export interface TokenParts extends IssueParts, RevokeParts {
  readonly log: Log;
  readonly namespaces: NamespaceDirectory;
  readonly identities: Identities;
  /** The lease times, in seconds, that apply to the path that made a token. */
  readonly leasesAt: (path: string, namespaceId: string) => Promise<LeaseTimes>;
  /** The present limits of the role or user of a login. */
  readonly renewalLimits: RenewalLimitsOf;
}
