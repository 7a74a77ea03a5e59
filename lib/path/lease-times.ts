import type { MountConfig } from './contract/mount.ts';

/** 32 days, in seconds: the system's default and longest lease, which a mount goes by that sets nothing of its own. */
const systemLeaseSeconds = 2_764_800;

export type LeaseTimes = Pick<MountConfig, 'default_lease_ttl' | 'max_lease_ttl'>;

/** The lease times that hold for a mount, in seconds. */
export const effectiveLeases = ({ default_lease_ttl, max_lease_ttl }: LeaseTimes): LeaseTimes => ({
  default_lease_ttl: default_lease_ttl > 0 ? default_lease_ttl : systemLeaseSeconds,
  max_lease_ttl: max_lease_ttl > 0 ? max_lease_ttl : systemLeaseSeconds,
});

/** The lease times of what belongs to no mount. */
export const systemLeases: LeaseTimes = effectiveLeases({ default_lease_ttl: 0, max_lease_ttl: 0 });
