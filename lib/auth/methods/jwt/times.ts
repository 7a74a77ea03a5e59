import { type Claims, claimAt } from './claims.ts';

/** How exact times have to be, in seconds; 0: as usual; negative: exactly. */
export interface Leeways {
  readonly clock_skew_leeway: number;
  readonly expiration_leeway: number;
  readonly not_before_leeway: number;
  /** How long ago the user may have proved to be himself at his provider; 0: any time. */
  readonly max_age: number;
}

const usual = { skew: 60, expiration: 150, notBefore: 150 } as const;

/**
 * What is wrong with the times of a token; undefined: nothing. A token has to say at least one of `iat`, `nbf` and `exp`; what
 * it does not say of them comes from the others and the leeways.
 */
export function timeProblem(claims: Claims, leeways: Leeways, now: Date): string | undefined {
  const [iat, nbf, exp] = [secondsOf(claims, 'iat'), secondsOf(claims, 'nbf'), secondsOf(claims, 'exp')];
  if (iat === 'odd' || nbf === 'odd' || exp === 'odd') return 'iat, nbf and exp have to be numbers of seconds';
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
  if (proved === 'odd' || proved === 0) return 'no auth_time in the token, which the role asks for by max_age';
  return at > proved + leeways.max_age + skew ? 'the log-in at the provider is too long ago' : undefined;
}

const leeway = (given: number, usually: number): number => (given === 0 ? usually : Math.max(given, 0));

/** 0: the token does not say it. */
function secondsOf(claims: Claims, name: string): number | 'odd' {
  const value = claimAt(claims, name) ?? 0;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 'odd';
}
