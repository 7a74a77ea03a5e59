import type { Gatekeeper } from '../auth/contract.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { GuardedFetch } from '../network/fetch.ts';
import type { Mail } from '../network/mail.ts';
import type { Store } from '../store/store.ts';

/** By what notifications go out. */
export interface MessageParts {
  /** Calls receivers, where the operator lets the server call. */
  readonly webhooks: Pick<GuardedFetch, 'fetch'>;
  /** Undefined: the operator has named no mail server. */
  readonly mail: Mail | undefined;
}

/** What the workspace service is handed. */
export interface WorkspaceParts extends MessageParts {
  readonly store: Store;
  /** That of the store: processes whose clocks differ agree on it. */
  readonly clock: Clock;
  readonly log: Log;
  /** Of the secrets service, whose tokens are taken as well. */
  readonly gatekeeper: Pick<Gatekeeper, 'authenticate'>;
  /** For so long the audit trails of organizations are kept; 0: none are. */
  readonly auditTrailDays: number;
}
