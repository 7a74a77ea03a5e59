import type { LeaseTimes } from '#path/contract/mount.ts';
import { shortDurationText } from '#path/duration-text.ts';
import type { TokenBounds } from './request.ts';

type AskedLife = Pick<TokenBounds, 'ttl' | 'maxTtl' | 'period' | 'explicitMaxTtl'>;

/** The lifetime of a token in seconds, 0 for no end, with warnings for the reply. */
export interface Life {
  readonly ttl: number;
  readonly warnings: readonly string[];
}

/** Only a root token without a limit lives without end. A caller who gets less than requested gets a warning. */
export function lifeOf(
  { ttl, maxTtl, period, explicitMaxTtl: own }: AskedLife,
  leases: LeaseTimes,
  root: boolean,
): Life {
  const longest = leases.max_lease_ttl;
  const cap = Math.min(longest, own || longest, maxTtl || longest);
  const warnings = own > longest ? [tooFar(own, longest)] : [];
  if (period > 0) return capped('period', period, cap, warnings);
  if (ttl === 0 && root) return { ttl: own > 0 ? cap : 0, warnings };
  return capped('TTL', ttl || leases.default_lease_ttl, cap, warnings);
}

function capped(what: 'TTL' | 'period', wanted: number, cap: number, warnings: readonly string[]): Life {
  if (wanted <= cap) return { ttl: wanted, warnings };
  return { ttl: cap, warnings: [...warnings, `${exceeds(what, wanted, cap)}; ${what} value is capped accordingly`] };
}

const tooFar = (own: number, longest: number): string =>
  `${exceeds('explicit_max_ttl', own, longest)}; the shorter one applies`;

const exceeds = (what: string, wanted: number, cap: number): string =>
  `${what} of "${shortDurationText(wanted)}" exceeded the effective max_ttl of "${shortDurationText(cap)}"`;

/** What determines the lifetime of a renewed token. Durations are in seconds; 0 sets no limit. */
export interface RenewedLife {
  /** The requested time; 0 for the usual one. */
  readonly increment: number;
  /** The time of the last renewal, or that at creation. */
  readonly usualTtl: number;
  readonly period: number;
  readonly explicitMaxTtl: number;
  /** The present limit of the role of its login. */
  readonly maxTtl?: number;
  /** Time since the creation. */
  readonly age: number;
}

/**
 * The lifetime of a token from now on. A periodic token gets its period, regardless of the request, up to its explicit maximum. The
 * limit of the mount for others counts from their creation. Undefined when the limit is over.
 */
export function renewedLife(token: RenewedLife, leases: LeaseTimes): Life | undefined {
  const { increment, usualTtl, period, explicitMaxTtl, maxTtl = 0, age } = token;
  const longest = Math.min(
    leases.max_lease_ttl,
    explicitMaxTtl || Number.POSITIVE_INFINITY,
    maxTtl || Number.POSITIVE_INFINITY,
  );
  const periodic = period > 0 ? capped('period', period, longest, []) : undefined;
  const wanted = periodic?.ttl ?? (increment || usualTtl || leases.default_lease_ttl);
  const end = periodic === undefined ? longest : explicitMaxTtl || Number.POSITIVE_INFINITY;
  if (end - age <= 0) return undefined;
  return capped('TTL', wanted, Math.floor(end - age), periodic?.warnings ?? []);
}
