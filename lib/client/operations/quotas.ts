import type { Operation } from '../operation.ts';

/** Limits of requests. Both kinds take fields that the server describes. */
export const rateLimits = {
  list: { method: 'LIST', path: 'sys/quotas/rate-limit' },
  read: { method: 'GET', path: 'sys/quotas/rate-limit/{name}' },
  write: { method: 'POST', path: 'sys/quotas/rate-limit/{name}' },
  remove: { method: 'DELETE', path: 'sys/quotas/rate-limit/{name}' },
} as const satisfies Record<string, Operation>;

/** Limits of tokens that exist at a time. */
export const leaseCounts = {
  list: { method: 'LIST', path: 'sys/quotas/lease-count' },
  read: { method: 'GET', path: 'sys/quotas/lease-count/{name}' },
  write: { method: 'POST', path: 'sys/quotas/lease-count/{name}' },
  remove: { method: 'DELETE', path: 'sys/quotas/lease-count/{name}' },
} as const satisfies Record<string, Operation>;
