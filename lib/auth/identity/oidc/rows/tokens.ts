import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import { nameField, nameText } from '../fields.ts';
import { checkIssuer, readIssuer, writeIssuer } from '../issuer.ts';
import type { OidcParts } from '../parts.ts';
import { refusalOf } from '../tokens/introspect.ts';
import { issueToken } from '../tokens/issue.ts';

const issuerMax = 512;
const tokenMax = 16_384;

const issuerWarning =
  'If "issuer" is set explicitly, all tokens must be validated against that address. An empty issuer restores the default.';

/** `oidc/config`, `oidc/token/:name`, `oidc/introspect`. */
export const tokenRows = (parts: OidcParts): readonly Row[] => [
  configRow(parts),
  tokenRow(parts),
  introspectRow(parts),
];

const configRow = ({ store }: OidcParts): Row => ({
  pattern: 'oidc/config',
  help: 'Sets the issuer of identity tokens.',
  operations: {
    read: operation(
      {},
      {
        summary: 'Read the configuration of identity tokens',
        run: async (_input, { namespace }) => ({ data: { issuer: await readIssuer(store, namespace.id) } }),
      },
    ),
    write: operation(
      {
        issuer: text(issuerMax).optional().meta({
          description: 'Scheme, host and optional port of the claim iss; default: the address of the service',
        }),
      },
      {
        summary: 'Configure identity tokens',
        async run({ issuer }, { namespace }) {
          if (issuer === undefined) return undefined;
          checkIssuer(issuer);
          await writeIssuer(store, namespace.id, issuer);
          return issuer === '' ? undefined : { warnings: [issuerWarning] };
        },
      },
    ),
  },
});

const tokenRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/token/:name',
  help: 'Issues a signed identity token (an OpenID Connect ID token) about the entity of the caller.',
  operations: {
    read: operation(
      { name: nameField('role') },
      { summary: 'Issue an identity token', run: ({ name }, context) => issueToken(parts, name, context) },
    ),
  },
});

const introspectRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/introspect',
  help: 'Says whether an identity token of this service is valid and its entity active.',
  operations: {
    write: operation(
      {
        token: text(tokenMax).default('').meta({ description: 'Signed identity token', sensitive: true }),
        client_id: nameText().default('').meta({ description: 'Audience that the token must have; default: any' }),
      },
      {
        summary: 'Verify an identity token',
        replies: { 200: 'own' },
        async run({ token, client_id: clientId }, context) {
          const error = await refusalOf(parts, { token, clientId }, context);
          return { body: error === undefined ? { active: true } : { active: false, error } };
        },
      },
    ),
  },
});
