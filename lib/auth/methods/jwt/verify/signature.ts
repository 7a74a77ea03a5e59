import { type CompactVerifyResult, compactVerify, decodeProtectedHeader, errors } from 'jose';
import { RemoteFailure } from '../../../login/remote/failure.ts';
import type { Claims } from '../claims.ts';
import type { Key } from './keys.ts';

/** Keys of one set that fit a token which does not say its key. */
const candidatesMax = 32;

/**
 * The claims of a token; a text: why it is refused. Nothing of the token stands in the text.
 *
 * @throws RemoteFailure when no key fits, and some set of keys could not be read
 */
export async function claimsOf(
  jwt: string,
  keys: readonly Key[],
  algorithms: readonly string[],
): Promise<Claims | string> {
  const algorithm = algorithmOf(jwt);
  if (algorithm === undefined) return 'the token is no signed JWT';
  if (!algorithms.includes(algorithm)) return 'the algorithm of the token is not accepted';
  let failure: RemoteFailure | undefined;
  for (const key of keys) {
    const verified = await verify(jwt, key, [algorithm]);
    if (verified instanceof RemoteFailure) failure = verified;
    else if (verified !== undefined) return parsed(verified);
  }
  if (failure !== undefined) throw failure;
  return 'no known key matches the signature of the token';
}

function algorithmOf(jwt: string): string | undefined {
  try {
    const { alg } = decodeProtectedHeader(jwt);
    return typeof alg === 'string' && jwt.split('.').length === 3 ? alg : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined: the key does not fit. */
async function verify(
  jwt: string,
  key: Key,
  algorithms: string[],
): Promise<CompactVerifyResult | RemoteFailure | undefined> {
  try {
    return typeof key === 'function'
      ? await compactVerify(jwt, key, { algorithms })
      : await compactVerify(jwt, key, { algorithms });
  } catch (error) {
    if (error instanceof RemoteFailure) return error;
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyByAny(jwt, error, algorithms);
    return undefined;
  }
}

async function verifyByAny(jwt: string, several: errors.JWKSMultipleMatchingKeys, algorithms: string[]) {
  let tried = 0;
  for await (const key of several) {
    const verified = await compactVerify(jwt, key, { algorithms }).catch(() => undefined);
    tried += 1;
    if (verified !== undefined || tried >= candidatesMax) return verified;
  }
  return undefined;
}

function parsed({ payload, protectedHeader }: CompactVerifyResult): Claims | string {
  try {
    const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    const isObject = typeof claims === 'object' && claims !== null && !Array.isArray(claims);
    if (isObject && protectedHeader.b64 !== false) return { ...claims };
  } catch {
    // The text below says it.
  }
  return 'the token has no claims';
}
