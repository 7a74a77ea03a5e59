import type { SecretRecord } from './secrets.ts';

/**
 * The host cuts `created_at` and its Date header down to seconds, and its machines' clocks differ a little. The price: a
 * foreign secret made less than this before our intent passes for ours. One of ours never passes for foreign.
 */
const toleranceMs = 5_000;

/**
 * Whether a secret that is already there can be ours. The host keeps no mark and no value of it, so time decides: it was
 * made at or after the moment we intended to make it, both on the host's clock.
 */
export function canBeOurs({ createdAt, clockAheadMs }: SecretRecord, intendedAt: Date): boolean {
  return createdAt.getTime() >= intendedAt.getTime() + clockAheadMs - toleranceMs;
}
