import type { OwnReply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { OidcParts } from '../parts.ts';
import { type Client, clientWithId } from '../provider/clients.ts';
import { openid, type Provider } from '../provider/kinds.ts';
import { admitted, allowsClient, providerAt } from './claims.ts';
import { keepLogin, type Login } from './codes.ts';
import { OAuthError } from './oauth-error.ts';

/** An authentication request (OpenID Connect Core 1.0, 3.1.2.1), in which absent parameters are empty. */
export interface AuthenticationRequest {
  readonly name: string;
  readonly scope: string;
  readonly response_type: string;
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly nonce: string;
  readonly max_age: number | undefined;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  readonly request: string;
  readonly request_uri: string;
}

/** Makes a code with which the client completes the login of the caller. @throws OAuthError */
export async function authorize(
  parts: OidcParts,
  asked: AuthenticationRequest,
  { namespace, caller }: Pick<RequestContext, 'namespace' | 'caller'>,
): Promise<string> {
  const { store } = parts;
  const provider = await providerAt(store, namespace.id, asked.name);
  const scopes = asked.scope.split(' ').filter((scope) => scope !== '');
  checkForm(asked, scopes);
  const client = await clientAt(parts, provider, asked, namespace.id);
  const proof = proofOf(asked, client);
  const { entityId = '', entityState } = caller ?? {};
  await admitted(parts, namespace.id, client, { entityId, entityState });
  const login = { provider: asked.name, redirectUri: asked.redirect_uri, nonce: asked.nonce, scopes, ...proof };
  const authTime = asked.max_age === undefined ? null : authTimeOf(parts, asked.max_age, caller);
  return keepLogin(store, { clientId: client.client_id, entityId }, { ...login, authTime });
}

/**
 * Whether a refusal may be told to the client too, at the address of the request (RFC 6749, 4.1.2.1): only if the address is one of the
 * client's. An address that a page sends browsers to without this is an open redirect.
 */
export async function mayTellClient(
  parts: OidcParts,
  asked: AuthenticationRequest,
  { namespace }: Pick<RequestContext, 'namespace'>,
): Promise<boolean> {
  try {
    const provider = await providerAt(parts.store, namespace.id, asked.name);
    await clientAt(parts, provider, asked, namespace.id);
    return true;
  } catch (error) {
    if (error instanceof OAuthError) return false;
    throw error;
  }
}

/** The client of a request, which the provider admits at this address. @throws OAuthError */
async function clientAt(
  { store }: OidcParts,
  provider: Provider,
  asked: AuthenticationRequest,
  namespaceId: string,
): Promise<Client> {
  const client = await clientWithId(store, namespaceId, asked.client_id);
  if (client === undefined) throw new OAuthError('invalid_client_id', 'client with client_id not found');
  if (!allowsClient(provider, client.client_id))
    throw new OAuthError('unauthorized_client', 'client is not authorized to use the provider');
  if (!client.redirect_uris.some((uri) => isSame(uri, asked.redirect_uri)))
    throw new OAuthError('invalid_redirect_uri', 'redirect_uri is not allowed for the client');
  return client;
}

function checkForm(asked: AuthenticationRequest, scopes: readonly string[]): void {
  if (!scopes.includes(openid))
    throw new OAuthError('invalid_request', `scope parameter must contain the "${openid}" value`);
  if (asked.response_type === '') throw new OAuthError('invalid_request', 'response_type parameter is required');
  if (asked.response_type !== 'code')
    throw new OAuthError('unsupported_response_type', 'unsupported response_type value');
  if (asked.request !== '') throw new OAuthError('request_not_supported', 'request parameter is not supported');
  if (asked.request_uri !== '')
    throw new OAuthError('request_uri_not_supported', 'request_uri parameter is not supported');
  if (asked.client_id === '') throw new OAuthError('invalid_client_id', 'client_id parameter is required');
  if (asked.redirect_uri === '') throw new OAuthError('invalid_request', 'redirect_uri parameter is required');
  if (asked.max_age !== undefined && asked.max_age < 1)
    throw new OAuthError('invalid_request', 'max_age must be greater than zero');
}

/** Programs on the caller's machine listen on any port of the loopback interface (RFC 8252, 7.3). */
function isSame(allowed: string, given: string): boolean {
  if (allowed === given) return true;
  const [one, other] = [URL.parse(allowed), URL.parse(given)];
  if (one === null || other === null || !loopback.test(given) || one.hostname !== other.hostname) return false;
  one.port = '';
  other.port = '';
  return one.href === other.href;
}
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/;

const challenges = /^[A-Za-z0-9._~-]{43,128}$/;

/** @throws OAuthError for a public client without a challenge, and for an invalid one */
function proofOf(asked: AuthenticationRequest, client: Client): Pick<Login, 'challenge' | 'method'> {
  const { code_challenge: challenge, code_challenge_method: given } = asked;
  if (challenge === '') {
    if (client.client_type === 'public') throw new OAuthError('invalid_request', 'PKCE is required for public clients');
    return { challenge, method: 'plain' };
  }
  const method = given === '' ? 'plain' : given;
  if (method !== 'plain' && method !== 'S256') throw new OAuthError('invalid_request', 'invalid code_challenge_method');
  if (!challenges.test(challenge)) throw new OAuthError('invalid_request', 'invalid code_challenge');
  return { challenge, method };
}

/** When the caller logged in, in seconds since 1970. @throws OAuthError when that is longer ago than the client accepts */
function authTimeOf({ store }: OidcParts, maxAge: number, caller: RequestContext['caller']): number {
  const time = Math.floor((caller?.row?.creation_time ?? caller?.issued?.time ?? new Date(0)).getTime() / 1_000);
  if (store.clock.now().getTime() / 1_000 - time > maxAge)
    throw new OAuthError('max_age_violation', 'active re-authentication is required by max_age');
  return time;
}

export const authorized = (code: string, state: string): OwnReply => ({
  body: { code, ...(state === '' ? {} : { state }) },
});
