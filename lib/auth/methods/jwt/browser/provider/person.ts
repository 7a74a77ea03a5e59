import { RemoteFailure } from '#auth/login/remote/failure.ts';
import { badRequest } from '#core/errors.ts';
import { boundProblem } from '../../bound.ts';
import { type Claims, claimAt, textsOf } from '../../claims.ts';
import { type Person, personOf } from '../../identity.ts';
import type { JwtRole } from '../../role.ts';
import type { Keys } from '../../verify/keys.ts';
import { verifiedClaims } from '../../verify/token.ts';
import { isSame } from '../pending/login.ts';
import type { CallContext, CallParts } from './calls.ts';
import type { ProviderTokens } from './tokens.ts';

export interface PersonParts extends CallParts {
  readonly keys: Keys;
  readonly now: () => Date;
}

/** The person that the tokens of a provider prove. */
interface Proof {
  readonly tokens: ProviderTokens;
  readonly role: JwtRole;
  /** Undefined where the login sent no nonce to the provider. */
  readonly nonce: string | undefined;
}

/**
 * Checks an ID token (OpenID Connect Core 1.0, section 3.1.3.7) and the bounds of the role.
 *
 * @throws AppError `bad-request`; `upstream` when the keys cannot be read
 */
export async function provedPerson(
  parts: PersonParts,
  { tokens, role, nonce }: Proof,
  context: CallContext,
): Promise<Person> {
  const { config, mountPath } = context;
  const verified = await verifiedClaims(parts, { jwt: tokens.idToken, config, leeways: role, mountPath });
  const wrong = typeof verified === 'string' ? verified : idTokenProblem(verified, config.oidc_client_id, nonce);
  if (typeof verified === 'string' || wrong !== undefined) throw badRequest(`token verification failed: ${wrong}`);
  const { nonce: _, ...own } = verified;
  const claims = await withUserInfo(parts, own, { tokens, role }, context);
  const audiences = role.bound_audiences.length > 0 ? role.bound_audiences : [config.oidc_client_id];
  const unbound = boundProblem(claims, { ...role, bound_audiences: audiences });
  if (unbound !== undefined) throw badRequest(`error validating claims: ${unbound}`);
  return personOf(claims, role, []);
}

/** Undefined for a token that was made for this client and this login. */
function idTokenProblem(claims: Claims, clientId: string, nonce: string | undefined): string | undefined {
  const audiences = textsOf(claimAt(claims, 'aud')) ?? [];
  const party = claimAt(claims, 'azp');
  if (!audiences.includes(clientId)) return 'the ID token is for another client';
  if (party !== undefined && party !== clientId) return 'the ID token was made for another client';
  if (typeof claimAt(claims, 'sub') !== 'string' || claimAt(claims, 'sub') === '') return 'the ID token has no subject';
  if (nonce === undefined) return undefined;
  const given = claimAt(claims, 'nonce');
  return typeof given === 'string' && isSame(given, nonce) ? undefined : 'invalid ID token nonce';
}

type Wish = Pick<Proof, 'tokens' | 'role'>;

/**
 * Adds the claims of the user info endpoint when the ID token lacks claims that the role needs; those of the token win. If the endpoint
 * cannot be read, the claims stay missing, and the role refuses them where it needs them.
 */
async function withUserInfo(
  { remote, log }: PersonParts,
  claims: Claims,
  { tokens, role }: Wish,
  { config, provider, mountPath, signal }: CallContext,
): Promise<Claims> {
  const { userinfo } = provider.endpoints;
  if (userinfo === undefined || tokens.accessToken === '' || hasAll(claims, role)) return claims;
  try {
    const question = { url: new URL(userinfo), caCertificates: config.oidc_discovery_ca_pem, signal };
    const { status, json } = await remote.ask({ ...question, bearer: tokens.accessToken });
    if (status === 200 && isObject(json) && json['sub'] === claims['sub']) return { ...json, ...claims };
    const reason = status === 200 ? 'its reply is not about the user' : `it replied with status ${status}`;
    log.warn({ mount: mountPath, reason }, 'the claims of a user could not be read');
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    log.warn({ mount: mountPath, reason: error.reason }, 'the claims of a user could not be read');
  }
  return claims;
}

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** Whether the claims that a role names are there. */
function hasAll(claims: Claims, role: JwtRole): boolean {
  const names = [
    role.user_claim,
    role.groups_claim,
    ...Object.keys(role.bound_claims),
    ...Object.keys(role.claim_mappings),
  ];
  return names.every((name) => name === '' || claimAt(claims, name) !== undefined);
}
