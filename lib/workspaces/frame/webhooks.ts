import type { NetworkBounds } from '#network/bounds.ts';
import { type GuardedFetch, guardedFetch } from '#network/fetch.ts';
import { strictPolicy } from '#network/policy.ts';

/** Time limits of one call to a receiver of notifications. */
const times = { connectMs: 5_000, requestMs: 10_000 };

/** Calls receivers of notifications, at public addresses and at those that the operator allows. */
export const openWebhooks = (bounds: NetworkBounds): GuardedFetch =>
  guardedFetch({ ...strictPolicy, disabled: true, bounds }, { ...times, obtained: undefined });
