import { shortDurationText } from '../../../core/duration-text.ts';
import type { LeaseTimes } from '../../../path/lease-times.ts';
import type { TokenBounds } from '../../methods/contract.ts';

type AskedLife = Pick<TokenBounds, 'ttl' | 'maxTtl' | 'period' | 'explicitMaxTtl'>;

/** How long a token lives, in seconds, and what is to be said of that. 0: for ever. */
export interface Life {
  readonly ttl: number;
  readonly warnings: readonly string[];
}

/** Only a root token may live for ever, and not with a cap. A caller who is given less than asked for gets a warning. */
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
  `${exceeds('explicit_max_ttl', own, longest)}; the token lives for the shorter one at most`;

const exceeds = (what: string, wanted: number, cap: number): string =>
  `${what} of "${shortDurationText(wanted)}" exceeded the effective max_ttl of "${shortDurationText(cap)}"`;

/** What is known of a token that is to live longer. Durations are in seconds; 0: none. */
export interface RenewedLife {
  /** As the caller asks for; 0: the usual time. */
  readonly increment: number;
  /** Of the last renewal, or at first. */
  readonly usualTtl: number;
  readonly period: number;
  readonly explicitMaxTtl: number;
  /** Of the role of its login as it is now. */
  readonly maxTtl?: number;
  /** Since its creation. */
  readonly age: number;
}

/**
 * How long a token lives from now on. A periodic one gets its period, whatever was asked for, up to its explicit maximum; others
 * live at most as long as the mount allows since their creation. Undefined: that is over.
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
