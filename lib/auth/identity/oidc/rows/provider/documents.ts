import { operation, type Row } from '#path/contract/row.ts';
import { nameField } from '../../fields.ts';
import { providerIssuerOf } from '../../issuer.ts';
import { publishedKeys } from '../../keys/published.ts';
import { algorithms } from '../../keys/version.ts';
import type { OidcParts } from '../../parts.ts';
import { openid, providers } from '../../provider/kinds.ts';
import { findSettings } from '../../provider/resource.ts';
import { documentSeconds, keptFor } from '../well-known.ts';

const name = { name: nameField('provider') };
const open = { unauthenticated: true, ignoresToken: true, replies: { 200: 'own' } } as const;

/** `oidc/provider/:name/.well-known/`: what clients of a provider read, without a token. */
export const documentRows = (parts: OidcParts): readonly Row[] => [documentRow(parts), keysRow(parts)];

const documentRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/provider/:name/.well-known/openid-configuration',
  help: 'The discovery document of a provider (OpenID Connect Discovery 1.0).',
  operations: {
    read: operation(name, {
      summary: 'Read the discovery document of an OpenID Connect provider',
      ...open,
      async run(input, context) {
        const at = { namespaceId: context.namespace.id, name: input.name };
        const provider = await findSettings(parts.store, providers, at);
        if (provider === undefined) return undefined;
        const issuer = providerIssuerOf(parts, context, { name: input.name, configured: provider.issuer });
        return { body: documentOf(issuer, provider.scopes_supported), headers: keptFor(documentSeconds) };
      },
    }),
  },
});

const documentOf = (issuer: string, scopes: readonly string[]): object => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/keys`,
  // The address of the web page, as in the API family. It asks for a login, and calls `authorize` with the session.
  authorization_endpoint: `${issuer.replace('/v1/', '/ui/vault/')}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  id_token_signing_alg_values_supported: algorithms,
  response_types_supported: ['code'],
  scopes_supported: [...scopes, openid],
  claims_supported: [],
  subject_types_supported: ['public'],
  grant_types_supported: ['authorization_code'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  code_challenge_methods_supported: ['plain', 'S256'],
});

const keysRow = ({ store }: OidcParts): Row => ({
  pattern: 'oidc/provider/:name/.well-known/keys',
  help: 'The public keys that verify ID tokens of a provider, as a key set (RFC 7517).',
  operations: {
    read: operation(name, {
      summary: 'Read the public keys of an OpenID Connect provider',
      ...open,
      async run(input, { namespace }) {
        const provider = await findSettings(store, providers, { namespaceId: namespace.id, name: input.name });
        if (provider === undefined) return undefined;
        const { keys, freshSeconds } = await publishedKeys(store, namespace.id, provider.allowed_client_ids);
        const body = { keys };
        return keys.length === 0 || freshSeconds === 0 ? { body } : { body, headers: keptFor(freshSeconds) };
      },
    }),
  },
});
