import { leaseCounts, rateLimits } from '#client/operations/quotas.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import { count } from '#ui/parts/relative.ts';

/** A kind of quota: its requests, and how its limit is said. */
export interface QuotaKind {
  readonly id: string;
  readonly title: string;
  readonly what: string;
  readonly operations: typeof rateLimits | typeof leaseCounts;
  readonly limit: (quota: Value) => string;
}

export const kinds: readonly QuotaKind[] = [
  {
    id: 'rate-limit',
    title: 'Rate limits',
    what: 'How many requests a client may make in an interval.',
    operations: rateLimits,
    limit: (quota) => `${count(Number(textOf(quota, 'rate')))} in ${textOf(quota, 'interval')} s`,
  },
  {
    id: 'lease-count',
    title: 'Lease counts',
    what: 'How many tokens of a path may exist at a time.',
    operations: leaseCounts,
    limit: (quota) =>
      `${count(Number(textOf(quota, 'counter') || 0))} of ${count(Number(textOf(quota, 'max_leases')))} tokens`,
  },
];
