import { operation, type Row } from '#path/contract/row.ts';
import { issuerOf, readIssuer } from '../issuer.ts';
import { publishedKeys } from '../keys/published.ts';
import { algorithms } from '../keys/version.ts';
import type { OidcParts } from '../parts.ts';

export const documentSeconds = 3_600;

/** `oidc/.well-known/`: what verifiers of identity tokens read, without a token. */
export const wellKnownRows = (parts: OidcParts): readonly Row[] => [documentRow(parts), publishedKeysRow(parts)];

const documentRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/.well-known/openid-configuration',
  help: 'The discovery document of identity tokens (OpenID Connect Discovery 1.0).',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the discovery document of identity tokens',
        unauthenticated: true,
        ignoresToken: true,
        replies: { 200: 'own' },
        async run(_input, context) {
          const issuer = issuerOf(parts, context, await readIssuer(parts.store, context.namespace.id));
          const body = {
            issuer,
            jwks_uri: `${issuer}/.well-known/keys`,
            response_types_supported: ['id_token'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: algorithms,
          };
          return { body, headers: keptFor(documentSeconds) };
        },
      },
    ),
  },
});

const publishedKeysRow = ({ store }: OidcParts): Row => ({
  pattern: 'oidc/.well-known/keys',
  help: 'The public keys that verify identity tokens, as a key set (RFC 7517).',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the public keys of identity tokens',
        unauthenticated: true,
        ignoresToken: true,
        replies: { 200: 'own' },
        async run(_input, { namespace }) {
          const { keys, freshSeconds } = await publishedKeys(store, namespace.id);
          const body = { keys };
          return keys.length === 0 || freshSeconds === 0 ? { body } : { body, headers: keptFor(freshSeconds) };
        },
      },
    ),
  },
});

/** Lets clients and proxies keep a reply. */
export const keptFor = (seconds: number) => ({ 'cache-control': `max-age=${seconds}` });
