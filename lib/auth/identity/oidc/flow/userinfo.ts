import type { OwnReply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { OidcParts } from '../parts.ts';
import { clientWithId } from '../provider/clients.ts';
import { admitted, allowsClient, claimsOf, providerAt } from './claims.ts';
import { findAccess } from './codes.ts';
import { OAuthError } from './oauth-error.ts';

/** The claims of an access token. @throws OAuthError */
export async function userinfo(
  parts: OidcParts,
  name: string,
  { namespace, sentToken }: Pick<RequestContext, 'namespace' | 'sentToken'>,
): Promise<OwnReply> {
  const { store } = parts;
  const provider = await providerAt(store, namespace.id, name);
  const access = sentToken && (await findAccess(store, namespace.id, sentToken.reveal()));
  const client = access && (await clientWithId(store, namespace.id, access.clientId));
  if (client === undefined || access?.provider !== name || !allowsClient(provider, client.client_id))
    throw new OAuthError('invalid_token', 'access token is invalid or expired', {
      status: 401,
      scheme: 'Bearer error="invalid_token"',
    });
  const facts = await admitted(parts, namespace.id, client, { entityId: access.entityId });
  const claims = await claimsOf(store, { namespaceId: namespace.id, provider, asked: access.scopes }, facts);
  return { body: { ...claims, sub: access.entityId } };
}
