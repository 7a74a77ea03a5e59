import { decodeJwt, decodeProtectedHeader, errors, importJWK, type JWTPayload, jwtVerify } from 'jose';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { issuerOf, providerIssuerOf, readIssuer } from '../issuer.ts';
import { publishedKey } from '../keys/published.ts';
import type { Asked, OidcParts } from '../parts.ts';
import { providers } from '../provider/kinds.ts';
import { findSettings } from '../provider/resource.ts';

/** What a client asks about a token. */
export interface Question {
  readonly token: string;
  /** The required audience; empty for any. */
  readonly clientId: string;
}

/** Why a token is not active, as the API family says it and without any part of the token; undefined for an active token. */
export async function refusalOf(
  parts: OidcParts,
  { token, clientId }: Question,
  asked: Asked,
): Promise<string | undefined> {
  const { store } = parts;
  const id = keyIdOf(token);
  if (id === undefined) return 'error parsing token: it is not a signed JWT';
  const key = await publishedKey(store, asked.namespace.id, id);
  if (key === undefined) return 'unable to validate the token signature';
  const issuer = await issuersOf(parts, asked, token);
  const checks = {
    algorithms: [key.algorithm],
    issuer,
    currentDate: store.clock.now(),
    requiredClaims: ['exp', 'sub'],
    ...(clientId === '' ? {} : { audience: clientId }),
  };
  try {
    const { payload } = await jwtVerify(token, await importJWK(key.public_key, key.algorithm), checks);
    return refusalOfEntity(store, payload);
  } catch (error) {
    return refusalText(error);
  }
}

/** The issuer of identity tokens, and that of the provider which the token names. */
async function issuersOf(parts: OidcParts, asked: Asked, token: string): Promise<string[]> {
  const { store } = parts;
  const own = issuerOf(parts, asked, await readIssuer(store, asked.namespace.id));
  const [, name] = /\/provider\/([^/]{1,256})$/.exec(issuerIn(token)) ?? [];
  if (name === undefined) return [own];
  const provider = await findSettings(store, providers, { namespaceId: asked.namespace.id, name });
  return provider === undefined ? [own] : [own, providerIssuerOf(parts, asked, { name, configured: provider.issuer })];
}

function issuerIn(token: string): string {
  try {
    return decodeJwt(token).iss ?? '';
  } catch {
    return '';
  }
}

function keyIdOf(token: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(token);
    return token.split('.').length === 3 ? (kid ?? '') : undefined;
  } catch {
    return undefined;
  }
}

/** @throws what is not a fault of the token */
function refusalText(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'error validating claims: the token is expired';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `error validating claims: the claim ${JSON.stringify(error.claim)} is invalid`;
  if (error instanceof errors.JOSEError) return 'unable to validate the token signature';
  throw error;
}

async function refusalOfEntity({ db }: Pick<Store, 'db'>, { sub = '' }: JWTPayload): Promise<string | undefined> {
  const { rows } = await rowsOf({ disabled: bool })`select disabled from entities where id = ${sub}`.execute(db);
  const [entity] = rows;
  if (entity === undefined) return 'entity was not found';
  return entity.disabled ? 'entity is disabled' : undefined;
}
