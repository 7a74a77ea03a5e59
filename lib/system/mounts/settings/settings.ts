import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';
import { effectiveLeases, type MountConfig } from '#path/contract/mount.ts';
import type { Settings } from './fields.ts';

/**
 * A mount's settings with a change applied; absent fields keep their value.
 *
 * @param within the field of the request that has the settings, with a dot; empty when they are fields themselves
 * @throws AppError `bad-request` when the default lease time is longer than the maximum, whether set or the system's
 */
export function settingsAfter(before: MountConfig, change: Settings, within: '' | 'config.' = ''): MountConfig {
  const after: MountConfig = { ...before, ...givenOf(change), ...nested(before, change) };
  const longest = effectiveLeases(after).max_lease_ttl;
  // An unset default cannot contradict the maximum: the system default is capped by it.
  if (after.default_lease_ttl <= longest) return after;
  const whose = after.max_lease_ttl > 0 ? 'given' : 'system';
  throw badField(
    sentOf(change, ['default_lease_ttl', 'max_lease_ttl']).map((name) => within + name),
    `given default lease TTL greater than ${whose} max lease TTL of ${longest}: it would be ${after.default_lease_ttl}`,
  );
}

const givenOf = (change: object) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** In the lockout settings, too, absent fields keep their value. */
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
