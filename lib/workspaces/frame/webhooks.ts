import type { NetworkBounds } from '../../network/bounds.ts';
import { type GuardedFetch, guardedFetch } from '../../network/fetch.ts';
import { strictPolicy } from '../../network/policy.ts';

/** For one call of a receiver of notifications. */
const times = { connectMs: 5_000, requestMs: 10_000 };

/** Calls receivers of notifications: public addresses, and what the operator lets the server call. */
export const openWebhooks = (bounds: NetworkBounds): GuardedFetch =>
  guardedFetch({ ...strictPolicy, disabled: true, bounds }, times);
