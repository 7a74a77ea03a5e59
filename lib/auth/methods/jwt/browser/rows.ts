import { readConfig } from '#auth/login/kept/config.ts';
import { AppError, badRequest } from '#core/errors.ts';
import { operation, type Row } from '#path/contract/row.ts';
import { text } from '#path/fields.ts';
import type { MethodParts } from '../../contract.ts';
import { storedConfig } from '../config.ts';
import { begin } from './begin.ts';
import { complete } from './callback.ts';
import { loggedIn, received } from './pages.ts';
import type { BrowserParts } from './parts.ts';
import { poll } from './poll.ts';
import { receive } from './posted.ts';

const stateMax = 1_024;
const nonceMax = 1_024;
/** The server reads no larger body without a token. */
const tokenMax = 65_536;

const state = text(stateMax)
  .default('')
  .meta({ description: 'The state that the provider sent back', sensitive: true });
const clientNonce = text(nonceMax).default('').meta({
  description: 'The client_nonce that the login began with; required if it had one',
  sensitive: true,
});
const error = text(256).default('').meta({ description: 'The error that the provider sent back' });
const iss = text(2_048).default('').meta({ description: 'The issuer that the provider names' });
const code = text(8_192).default('').meta({ description: 'The code that the provider sent back', sensitive: true });

/** `oidc/auth_url`, `oidc/callback` and `oidc/poll`. */
export const browserRows = (parts: BrowserParts, login: MethodParts['login']): readonly Row[] => [
  authUrlRow(parts),
  callbackRow(parts, login),
  pollRow(parts, login),
];

const authUrlRow = (parts: BrowserParts): Row => ({
  pattern: 'oidc/auth_url',
  help: 'Begins a login by browser or device.',
  operations: {
    write: operation(
      {
        role: text(512)
          .default('')
          .meta({ description: 'Name of the role; default: default_role of the configuration' }),
        redirect_uri: text(2_048).default('').meta({
          description:
            'Where the provider sends the user back to; one that the role allows. Not needed with the callback mode device',
        }),
        client_nonce: text(nonceMax).default('').meta({
          description:
            'A random text that the client sends again to get its token; required with the callback modes direct and device',
          sensitive: true,
        }),
      },
      {
        summary: 'Get the URL at which the user logs in',
        unauthenticated: true,
        run: async (input, context) => ({ data: await begin(parts, input, context) }),
      },
    ),
  },
});

const callbackRow = (parts: BrowserParts, login: MethodParts['login']): Row => ({
  pattern: 'oidc/callback',
  help: 'Completes a login with what the provider sent back.',
  operations: {
    read: login(
      {
        state,
        code,
        client_nonce: clientNonce,
        nonce: text(nonceMax).default('').meta({ description: 'Sent by older clients; not used', sensitive: true }),
        error,
        error_description: text().default('').meta({ description: 'Sent by providers with an error; not used' }),
        iss,
      },
      {
        summary: 'Log in with the code of the provider',
        replies: orPage,
        identify: async (input, context) => (await complete(parts, input, context)) ?? loggedIn,
      },
    ),
    write: operation(
      {
        state,
        code,
        id_token: text(tokenMax)
          .default('')
          .meta({ description: 'The ID token that the provider sent back', sensitive: true }),
        error,
        iss,
      },
      {
        summary: 'Receive what the provider posts with the response mode form_post',
        unauthenticated: true,
        anyFields: true,
        replies: orPage,
        async run(input, context) {
          const config = await readConfig(parts.store, context.mount.id);
          if (config === undefined) throw badRequest('could not load configuration');
          if (storedConfig(config).oidc_response_mode !== 'form_post')
            throw new AppError('unsupported-operation', "'oidc_response_mode' is not form_post");
          return ((await receive(parts, input, context)) ? loggedIn : received).reply;
        },
      },
    ),
  },
});

/** The browser of a user gets a page. */
const orPage = { 200: { mediaTypes: ['application/json', 'text/html'] } } as const;

const pollRow = (parts: BrowserParts, login: MethodParts['login']): Row => ({
  pattern: 'oidc/poll',
  help: 'Completes a login with the callback mode direct or device.',
  operations: {
    write: login(
      { state, client_nonce: clientNonce },
      {
        summary: 'Get the token once the user has logged in',
        identify: (input, context) => poll(parts, input, context),
      },
    ),
  },
});
