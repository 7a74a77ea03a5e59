import { type Claims, claimAt } from './claims.ts';

/** Allowed differences in seconds; 0 for the default, negative for none. */
export interface Leeways {
  readonly clock_skew_leeway: number;
  readonly expiration_leeway: number;
  readonly not_before_leeway: number;
  /** Maximum age of the login at the provider; 0 for any. */
  readonly max_age: number;
}

const usual = { skew: 60, expiration: 150, notBefore: 150 } as const;

/**
 * Why the times of a token are refused. Undefined when they are accepted. A token needs at least one of `iat`, `nbf` and `exp`; the
 * missing ones are derived from the others and the leeways.
 */
export function timeProblem(claims: Claims, leeways: Leeways, now: Date): string | undefined {
  const [iat, nbf, exp] = [secondsOf(claims, 'iat'), secondsOf(claims, 'nbf'), secondsOf(claims, 'exp')];
  if (iat === 'odd' || nbf === 'odd' || exp === 'odd') return 'iat, nbf and exp must be numbers of seconds';
  if (iat === 0 && nbf === 0 && exp === 0)
    return 'no issue time (iat), start (nbf) or expiration time (exp) in the token';
  const skew = leeway(leeways.clock_skew_leeway, usual.skew);
  const end = exp || Math.max(iat, nbf) + leeway(leeways.expiration_leeway, usual.expiration);
  const start = nbf || iat || exp - leeway(leeways.not_before_leeway, usual.notBefore);
  const at = now.getTime() / 1_000;
  if (at > end + skew) return 'the token has expired';
  if (at < start - skew || at < iat - skew) return 'the token is not valid yet';
  if (leeways.max_age <= 0) return undefined;
  const proved = secondsOf(claims, 'auth_time');
  if (proved === 'odd' || proved === 0) return 'no auth_time in the token, which max_age of the role requires';
  return at > proved + leeways.max_age + skew ? 'the login at the provider is too old' : undefined;
}

const leeway = (given: number, usually: number): number => (given === 0 ? usually : Math.max(given, 0));

/** 0 when the token lacks the claim. */
function secondsOf(claims: Claims, name: string): number | 'odd' {
  const value = claimAt(claims, name) ?? 0;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 'odd';
}
