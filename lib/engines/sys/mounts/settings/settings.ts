import { badRequest } from '../../../../core/errors.ts';
import type { MountConfig } from '../../../../path/contract/mount.ts';
import { effectiveLeases } from '../../../../path/lease-times.ts';
import type { Settings } from './fields.ts';

/**
 * A mount's settings with a change applied; what is not given stays.
 *
 * @throws AppError `bad-request` when a default is set that the longest lease, set or the system's, does not reach
 */
export function settingsAfter(before: MountConfig, change: Settings): MountConfig {
  const after: MountConfig = { ...before, ...givenOf(change), ...nested(before, change) };
  const longest = effectiveLeases(after).max_lease_ttl;
  // A default that is not set is no contradiction: it comes from the system, and the longest lease cuts it.
  if (after.default_lease_ttl <= longest) return after;
  const whose = after.max_lease_ttl > 0 ? 'given' : 'system';
  throw badRequest(
    `given default lease TTL greater than ${whose} max lease TTL of ${longest}: it would be ${after.default_lease_ttl}`,
  );
}

const givenOf = (change: object) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** Of the settings of the lockout, too, only what is given changes. */
function nested(before: MountConfig, { token_type, user_lockout_config }: Settings): Readonly<Record<string, unknown>> {
  const stored = before['user_lockout_config'];
  return {
    ...(token_type === '' ? { token_type: 'default-service' } : {}),
    ...(user_lockout_config === undefined
      ? {}
      : { user_lockout_config: { ...(typeof stored === 'object' ? stored : {}), ...givenOf(user_lockout_config) } }),
  };
}

export const noSettings: MountConfig = { default_lease_ttl: 0, max_lease_ttl: 0, force_no_cache: false };
