import type { NetworkBounds } from '../network/bounds.ts';
import { openMail, type SmtpSettings } from '../network/mail.ts';
import type { Store } from '../store/store.ts';
import { openWebhooks } from './frame/webhooks.ts';
import { dropOldEvents } from './organization/audit-trail/store.ts';
import { finishRemovals } from './organization/organizations/remove.ts';
import { dropExpiredTokens } from './people/tokens/store.ts';
import { sendDue } from './runs/notifications/sender.ts';
import { wakeForgotten } from './runs/notifications/turns.ts';
import { dropAbandoned } from './states/blobs/sweep.ts';
import { applyPolicies } from './workspace/retention/sweep.ts';

/** What the sweep does for the workspace service. */
export interface WorkspaceSweep {
  /** One round; of each kind at most so many. */
  run(countMax: number): Promise<void>;
  /**
   * Sends notifications until nothing may be sent now, or `signal` ends. Receivers take seconds each, so no round waits for it.
   *
   * @returns how many receivers had a turn
   */
  notify(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Steps of removals of organizations in one round. */
const removalStepsMax = 20;
/** Policies count in days, and to find what is due takes a look at every state version. */
const retentionMs = 900_000;

export function openWorkspaceSweep({
  store,
  networkBounds,
  auditTrailDays,
  smtp,
}: {
  readonly store: Store;
  readonly networkBounds: NetworkBounds;
  /** For so long the audit trails of organizations are kept. */
  readonly auditTrailDays: number;
  readonly smtp: SmtpSettings | undefined;
}): WorkspaceSweep {
  const webhooks = openWebhooks(networkBounds);
  const parts = { webhooks, mail: smtp === undefined ? undefined : openMail(smtp) };
  let retentionAt = 0;
  return {
    async run(countMax) {
      await dropExpiredTokens(store, countMax);
      await finishRemovals(store, removalStepsMax);
      await dropAbandoned(store, countMax);
      await dropOldEvents(store, auditTrailDays, countMax);
      if (performance.now() >= retentionAt && !(await applyPolicies(store, countMax)))
        retentionAt = performance.now() + retentionMs;
      await wakeForgotten(store, countMax);
    },
    notify: (signal) => sendDue(store, parts, signal),
    close: () => webhooks.close(),
  };
}
