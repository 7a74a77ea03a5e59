import { badRequest } from '../../../core/errors.ts';
import type { MountConfig } from '../../../path/row.ts';
import type { Settings } from './fields.ts';

/**
 * A mount's settings with a change applied; what is not given stays.
 *
 * @throws AppError `bad-request` when the lease times contradict each other
 */
export function settingsAfter(before: MountConfig, change: Settings): MountConfig {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: MountConfig = { ...before, ...given };
  if (after.max_lease_ttl > 0 && after.default_lease_ttl > after.max_lease_ttl) {
    throw badRequest('given default lease TTL greater than given max lease TTL');
  }
  return after;
}

export const noSettings: MountConfig = { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false };
