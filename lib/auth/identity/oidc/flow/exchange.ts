import { createHash, timingSafeEqual } from 'node:crypto';
import type { OwnReply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { providerIssuerOf } from '../issuer.ts';
import type { OidcParts } from '../parts.ts';
import { type Client, clientWithId, secretOf } from '../provider/clients.ts';
import { signed, signingVersion } from '../tokens/sign.ts';
import { admitted, allowsClient, claimsOf, providerAt } from './claims.ts';
import { keepAccess, type Login, type Parties, takeLogin } from './codes.ts';
import { OAuthError } from './oauth-error.ts';

/** A token request (OpenID Connect Core 1.0, 3.1.3.1), in which absent parameters are empty. */
export interface TokenRequest {
  readonly name: string;
  readonly grant_type: string;
  readonly code: string;
  readonly redirect_uri: string;
  readonly code_verifier: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Exchanges a code for an ID token and an access token. @throws OAuthError */
export async function exchange(parts: OidcParts, asked: TokenRequest, context: RequestContext): Promise<OwnReply> {
  const { store } = parts;
  const { namespace } = context;
  const provider = await providerAt(store, namespace.id, asked.name);
  const client = await clientOf(parts, asked, context);
  if (!allowsClient(provider, client.client_id))
    throw new OAuthError('invalid_client', 'client is not authorized to use the provider');
  if (asked.grant_type === '') throw new OAuthError('invalid_request', 'grant_type parameter is required');
  if (asked.grant_type !== 'authorization_code')
    throw new OAuthError('unsupported_grant_type', 'unsupported grant_type value');
  if (asked.code === '') throw new OAuthError('invalid_request', 'code parameter is required');
  const login = await takeLogin(store, asked.code);
  if (login === undefined) throw new OAuthError('invalid_grant', 'authorization grant is invalid or expired');
  mustMatch(asked, client, login);
  const facts = await admitted(parts, namespace.id, client, { entityId: login.entityId });
  const claims = await claimsOf(store, { namespaceId: namespace.id, provider, asked: login.scopes }, facts);
  const version = await signingVersion(store, namespace.id, client.key);
  if (version === undefined || !version.allows(client.client_id))
    throw new OAuthError('invalid_client', 'client is not authorized to use the key');
  const access = { ...login, clientId: client.client_id };
  const access_token = await keepAccess(store, access, client.access_token_ttl);
  const now = Math.floor(store.clock.now().getTime() / 1_000);
  const half = (text: string) => halfHash(version.algorithm, text);
  const id_token = await signed(parts, version, {
    ...claims,
    iss: providerIssuerOf(parts, context, { name: asked.name, configured: provider.issuer }),
    namespace: namespace.id,
    sub: login.entityId,
    aud: client.client_id,
    iat: now,
    exp: now + Math.min(client.id_token_ttl, version.verificationSeconds),
    ...(login.nonce === '' ? {} : { nonce: login.nonce }),
    ...(login.authTime === null ? {} : { auth_time: login.authTime }),
    at_hash: half(access_token),
    c_hash: half(asked.code),
  });
  const body = { token_type: 'Bearer', access_token, id_token, expires_in: client.access_token_ttl };
  return { body, headers: { pragma: 'no-cache' } };
}

/** @throws OAuthError `invalid_grant` */
function mustMatch(asked: TokenRequest, client: Client, login: Login & Parties): void {
  if (login.clientId !== client.client_id)
    throw new OAuthError('invalid_grant', 'authorization code was not issued to the client');
  if (login.provider !== asked.name)
    throw new OAuthError('invalid_grant', 'authorization code was not issued by the provider');
  if (asked.redirect_uri === '') throw new OAuthError('invalid_request', 'redirect_uri parameter is required');
  if (login.redirectUri !== asked.redirect_uri)
    throw new OAuthError(
      'invalid_grant',
      'redirect_uri does not match the redirect_uri used in the authorization request',
    );
  const { challenge, method } = login;
  if (challenge === '' && asked.code_verifier === '') return;
  if (challenge === '') throw new OAuthError('invalid_request', 'unexpected code_verifier for token exchange');
  if (asked.code_verifier === '') throw new OAuthError('invalid_grant', 'code_verifier is required');
  const given = method === 'plain' ? asked.code_verifier : sha('sha256', asked.code_verifier).toString('base64url');
  if (!isEqual(given, challenge)) throw new OAuthError('invalid_grant', 'invalid code_verifier for the code_challenge');
}

/** The client of a request, by its secret unless it is public. @throws OAuthError `invalid_client` */
async function clientOf(
  { store }: OidcParts,
  asked: TokenRequest,
  { namespace, headers }: RequestContext,
): Promise<Client> {
  const basic = basicOf(headers['authorization']);
  const [id, secret] = basic ?? [asked.client_id, asked.client_secret];
  const client = id === '' ? undefined : await clientWithId(store, namespace.id, id);
  const known = client && secretOf(store.barrier, client)?.reveal();
  const isProven = client !== undefined && (known === undefined ? secret === '' : isEqual(secret, known));
  if (client === undefined || !isProven)
    throw new OAuthError('invalid_client', 'client failed to authenticate', { status: 401, scheme: 'Basic' });
  return client;
}

/** The credentials of a header; both are percent-encoded in it (RFC 6749, 2.3.1). */
function basicOf(header: RequestContext['headers'][string]): readonly [string, string] | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(typeof header === 'string' ? header : '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  const form = new URLSearchParams(`id=${id}&secret=${secret.join(':')}`);
  return [form.get('id') ?? '', form.get('secret') ?? ''];
}

const sha = (algorithm: string, text: string): Buffer => createHash(algorithm).update(text).digest();

/** Takes the same time wherever the texts differ, and whatever their lengths are. */
const isEqual = (one: string, other: string): boolean => timingSafeEqual(sha('sha256', one), sha('sha256', other));

/** `at_hash` and `c_hash`: the left half of the hash that belongs to the signature algorithm. */
function halfHash(algorithm: string, text: string): string {
  const hash = sha(algorithm === 'EdDSA' ? 'sha512' : `sha${algorithm.slice(2)}`, text);
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
