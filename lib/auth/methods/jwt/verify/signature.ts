import { type CompactVerifyGetKey, type CompactVerifyResult, compactVerify, decodeProtectedHeader, errors } from 'jose';
import { RemoteFailure } from '#auth/login/remote/failure.ts';
import type { Claims } from '../claims.ts';
import type { Key } from './keys.ts';

/** Number of keys that are tried for a token that does not name its key. */
const candidatesMax = 32;

/**
 * The claims of a token, or a text that says why it is refused, without any part of the token.
 *
 * @throws RemoteFailure when no key matches and a key set could not be read
 */
export async function claimsOf(
  jwt: string,
  keys: readonly Key[],
  algorithms: readonly string[],
): Promise<Claims | string> {
  const algorithm = algorithmOf(jwt);
  if (algorithm === undefined) return 'the token is not a signed JWT';
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

/** `compactVerify` is overloaded for keys and for functions, and takes no union of both. */
const keyGetter = (key: Key): CompactVerifyGetKey => (typeof key === 'function' ? key : async () => key);

/** Undefined when the key does not match. */
async function verify(
  jwt: string,
  key: Key,
  algorithms: string[],
): Promise<CompactVerifyResult | RemoteFailure | undefined> {
  try {
    return await compactVerify(jwt, keyGetter(key), { algorithms });
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
    // Reported below.
  }
  return 'the token has no claims';
}
