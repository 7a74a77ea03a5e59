import { RemoteFailure } from '#auth/login/remote/failure.ts';
import { upstreamFailed } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import { type Claims, claimAt } from '../claims.ts';
import { algorithms, type JwtConfig } from '../config.ts';
import { type Leeways, timeProblem } from '../times.ts';
import type { Keys } from './keys.ts';
import { claimsOf } from './signature.ts';

interface VerifyParts {
  readonly keys: Keys;
  readonly log: Log;
  readonly now: () => Date;
}

interface Attempt {
  readonly jwt: string;
  readonly config: JwtConfig;
  readonly leeways: Leeways;
  /** Shown in the log. */
  readonly mountPath: string;
}

/**
 * The claims of a token after checking its signature, its issuer and its times; or why it is refused, without any part of it.
 *
 * @throws AppError `upstream` when the keys cannot be read
 */
export async function verifiedClaims(
  { keys: known, log, now }: VerifyParts,
  { jwt, config, leeways, mountPath }: Attempt,
): Promise<Claims | string> {
  try {
    const { keys, issuer } = await known.of(config);
    const accepted = config.jwt_supported_algs.length > 0 ? config.jwt_supported_algs : algorithms;
    const claims = await claimsOf(jwt, keys, accepted);
    if (typeof claims === 'string') return claims;
    const wanted = config.bound_issuer || issuer;
    if (wanted !== undefined && claimAt(claims, 'iss') !== wanted) return 'invalid issuer (iss) claim';
    return timeProblem(claims, leeways, now()) ?? claims;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    log.warn({ mount: mountPath, reason: error.reason }, 'the keys of a provider could not be read');
    throw upstreamFailed(`the keys of the provider could not be read: ${error.reason}`);
  }
}
