import { type Operation, operation, type Row } from '#path/contract/row.ts';
import { integer, text } from '#path/fields.ts';
import { nameField } from '../../fields.ts';
import { authorize, authorized, mayTellClient } from '../../flow/authorize.ts';
import { exchange } from '../../flow/exchange.ts';
import { oauthReplies, orOAuthError } from '../../flow/oauth-error.ts';
import { userinfo } from '../../flow/userinfo.ts';
import type { OidcParts } from '../../parts.ts';

const parameterMax = 2_048;
const parameter = (description: string) => text(parameterMax).default('').meta({ description });
const secret = (description: string) => text(parameterMax).default('').meta({ description, sensitive: true });
const name = nameField('provider');

/** `oidc/provider/:name/authorize`, `token`, `userinfo`: a login at a client. */
export const loginRows = (parts: OidcParts): readonly Row[] => [
  authorizeRow(parts),
  tokenRow(parts),
  userinfoRow(parts),
];

const authorizeFields = {
  name,
  scope: parameter('Scopes, separated by spaces; openid is one of them'),
  response_type: parameter('code'),
  client_id: parameter('Id of the client'),
  redirect_uri: parameter('Address to which the login returns'),
  state: parameter('Value that the reply repeats'),
  nonce: parameter('Value for the claim nonce'),
  max_age: integer().optional().meta({ description: 'Seconds since the caller logged in, at most' }),
  code_challenge: parameter('Challenge for the proof key (RFC 7636)'),
  code_challenge_method: parameter('S256, or plain (default)'),
  request: parameter('Not supported'),
  request_uri: parameter('Not supported'),
};

const authorizeRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/provider/:name/authorize',
  help:
    'Logs the caller in at a client: replies with a code, which the client exchanges for tokens. ' +
    'A refusal names the redirect_uri if the client may be told there.',
  operations: { read: authorizeBy(parts), write: authorizeBy(parts) },
});

const authorizeBy = (parts: OidcParts): Operation =>
  operation(authorizeFields, {
    summary: 'Authorize a login at an OpenID Connect client',
    replies: oauthReplies,
    run: ({ state, ...asked }, context) =>
      orOAuthError(
        async () => authorized(await authorize(parts, asked, context), state),
        async () => ({
          ...(state === '' ? {} : { state }),
          ...((await mayTellClient(parts, asked, context)) ? { redirect_uri: asked.redirect_uri } : {}),
        }),
      ),
  });

const tokenFields = {
  name,
  grant_type: parameter('authorization_code'),
  code: secret('Code of the login'),
  redirect_uri: parameter('The same address as in the request for the code'),
  code_verifier: secret('Proof key (RFC 7636)'),
  client_id: parameter('Id of the client, unless it is in the header Authorization'),
  client_secret: secret('Secret of the client, unless it is in the header Authorization'),
};

const tokenRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/provider/:name/token',
  help: 'Exchanges the code of a login for an ID token and an access token. The client authenticates itself.',
  operations: {
    write: operation(tokenFields, {
      summary: 'Exchange a code for tokens',
      unauthenticated: true,
      ignoresToken: true,
      replies: oauthReplies,
      run: (asked, context) => orOAuthError(() => exchange(parts, asked, context)),
    }),
  },
});

const userinfoRow = (parts: OidcParts): Row => ({
  pattern: 'oidc/provider/:name/userinfo',
  help: 'The claims of the entity that an access token was issued for.',
  operations: { read: userinfoBy(parts), write: userinfoBy(parts) },
});

const userinfoBy = (parts: OidcParts): Operation =>
  operation(
    { name },
    {
      summary: 'Read the claims of an access token',
      unauthenticated: true,
      ignoresToken: true,
      replies: oauthReplies,
      run: (asked, context) => orOAuthError(() => userinfo(parts, asked.name, context)),
    },
  );
