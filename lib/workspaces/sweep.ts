import type { NetworkBounds } from '../network/bounds.ts';
import type { Store } from '../store/store.ts';
import { openWebhooks } from './frame/webhooks.ts';
import { finishRemovals } from './organization/organizations/remove.ts';
import { dropExpiredTokens } from './people/tokens/store.ts';
import { sendDue } from './runs/notifications/outbox.ts';
import { dropAbandoned } from './states/blobs/sweep.ts';
import { applyPolicies } from './workspace/retention/sweep.ts';

/** What the sweep does for the workspace service. */
export interface WorkspaceSweep {
  /** One round; of each kind at most so many. */
  run(countMax: number): Promise<void>;
  close(): Promise<void>;
}

/** Steps of removals of organizations in one round. */
const removalStepsMax = 20;
/** Messages of one round; a receiver may take seconds for each. */
const messagesMax = 20;
/** Policies count in days, and to find what is due takes a look at every state version. */
const retentionMs = 900_000;

export function openWorkspaceSweep({
  store,
  networkBounds,
}: {
  readonly store: Store;
  readonly networkBounds: NetworkBounds;
}): WorkspaceSweep {
  const webhooks = openWebhooks(networkBounds);
  let retentionAt = 0;
  return {
    async run(countMax) {
      await dropExpiredTokens(store, countMax);
      await finishRemovals(store, removalStepsMax);
      await dropAbandoned(store, countMax);
      if (performance.now() >= retentionAt && !(await applyPolicies(store, countMax)))
        retentionAt = performance.now() + retentionMs;
      await sendDue(store, webhooks, messagesMax);
    },
    close: () => webhooks.close(),
  };
}
