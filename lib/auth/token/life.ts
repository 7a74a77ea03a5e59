import { shortDurationText } from '../../core/duration-text.ts';

/** 32 days, in seconds: the system's default and longest lease (the API family's own). */
export const systemTtlMax = 2_764_800;

/** Durations are in seconds; 0: not asked for. */
export interface AskedLife {
  readonly ttl: number;
  /** Old name of `ttl`, which wins. */
  readonly lease: number;
  readonly period: number;
  readonly explicit_max_ttl: number;
}

/** How long a token lives, in seconds, and what is to be said of that. 0: for ever. */
export interface Life {
  readonly ttl: number;
  readonly warnings: readonly string[];
}

/** Only a root token may live for ever, and not with a cap. Who is given less than he asked for is told so. */
export function lifeOf(asked: AskedLife, root: boolean): Life {
  const { ttl, lease, period, explicit_max_ttl: own } = asked;
  const cap = own > 0 ? Math.min(own, systemTtlMax) : systemTtlMax;
  const warnings = own > systemTtlMax ? [tooFar(own)] : [];
  if (period > 0) return capped('period', period, cap, warnings);
  const wanted = ttl || lease;
  if (wanted === 0 && root) return { ttl: own > 0 ? cap : 0, warnings };
  return capped('TTL', wanted || systemTtlMax, cap, warnings);
}

function capped(what: 'TTL' | 'period', wanted: number, cap: number, warnings: readonly string[]): Life {
  if (wanted <= cap) return { ttl: wanted, warnings };
  return { ttl: cap, warnings: [...warnings, `${exceeds(what, wanted, cap)}; ${what} value is capped accordingly`] };
}

const tooFar = (own: number): string =>
  `${exceeds('explicit_max_ttl', own, systemTtlMax)}; the token lives for the shorter one at most`;

const exceeds = (what: string, wanted: number, cap: number): string =>
  `${what} of "${shortDurationText(wanted)}" exceeded the effective max_ttl of "${shortDurationText(cap)}"`;
