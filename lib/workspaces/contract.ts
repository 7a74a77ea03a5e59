import type { Gatekeeper } from '../auth/contract.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { GuardedFetch } from '../network/fetch.ts';
import type { Store } from '../store/store.ts';

/** What the workspace service is handed. */
export interface WorkspaceParts {
  readonly store: Store;
  /** That of the store: processes whose clocks differ agree on it. */
  readonly clock: Clock;
  readonly log: Log;
  /** Calls receivers of notifications, where the operator lets the server call. */
  readonly webhooks: Pick<GuardedFetch, 'fetch'>;
  /** Of the secrets service, whose tokens are taken as well. */
  readonly gatekeeper: Pick<Gatekeeper, 'authenticate'>;
  /** For so long the audit trails of organizations are kept; 0: none are. */
  readonly auditTrailDays: number;
}
