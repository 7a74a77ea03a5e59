import type { EntityFacts } from '#auth/policy/store/facts.ts';
import type { Store } from '#store/store.ts';
import type { OidcParts } from '../parts.ts';
import type { Client } from '../provider/clients.ts';
import { admits, assignments, openid, type Provider, providers, scopes } from '../provider/kinds.ts';
import { findSettings, settingsNamed } from '../provider/resource.ts';
import { parseTemplate } from '../template/template.ts';
import { OAuthError } from './oauth-error.ts';

/** The provider of a request. @throws OAuthError */
export async function providerAt(store: Store, namespaceId: string, name: string): Promise<Provider> {
  const provider = await findSettings(store, providers, { namespaceId, name });
  if (provider === undefined) throw new OAuthError('invalid_request', 'provider not found');
  return provider;
}

export const allowsClient = ({ allowed_client_ids }: Provider, clientId: string): boolean =>
  allowed_client_ids.includes('*') || allowed_client_ids.includes(clientId);

/** An active entity that an assignment of the client admits. @throws OAuthError `access_denied` */
export async function admitted(
  { store, factsOf }: OidcParts,
  namespaceId: string,
  client: Client,
  holder: { readonly entityId: string; readonly entityState?: string | undefined },
): Promise<EntityFacts> {
  const facts = await factsOf(holder);
  if (facts.subjectIn(namespaceId).entity === undefined)
    throw new OAuthError('access_denied', 'identity entity must be associated with the request');
  const found = await settingsNamed(store, assignments, namespaceId, client.assignments);
  if ([...found.values()].some((one) => admits(one, holder.entityId, facts.groupIds))) return facts;
  throw new OAuthError('access_denied', 'identity entity not authorized by client assignment');
}

/**
 * The claims of the scopes that were asked for. Scopes that the provider does not support are ignored.
 *
 * @throws OAuthError when two scopes set the same claim
 */
export async function claimsOf(
  store: Store,
  {
    namespaceId,
    provider,
    asked,
  }: { readonly namespaceId: string; readonly provider: Provider; readonly asked: readonly string[] },
  facts: EntityFacts,
): Promise<Readonly<Record<string, unknown>>> {
  const names = [...new Set(asked)].filter((name) => name !== openid && provider.scopes_supported.includes(name));
  const found = await settingsNamed(store, scopes, namespaceId, names);
  const subject = { ...facts.subjectIn(namespaceId), now: Math.floor(store.clock.now().getTime() / 1_000) };
  const claims = new Map<string, unknown>();
  for (const { template } of found.values()) {
    for (const [name, value] of Object.entries(parseTemplate(template)(subject))) {
      if (claims.has(name)) throw new OAuthError('invalid_request', 'scopes have conflicting claims');
      claims.set(name, value);
    }
  }
  return Object.fromEntries(claims);
}
