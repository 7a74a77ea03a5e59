import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { type Input, integer, text, textList } from '#path/fields.ts';
import { storedInteger } from '../../token/stored-integer.ts';

/** The part of a role for logins by browser. Absent fields keep their values. */
export const browserRoleFields = {
  allowed_redirect_uris: textList().optional().meta({
    description: 'URIs that a provider may send users back to; the port of a loopback address does not matter',
  }),
  oidc_scopes: textList().optional().meta({ description: 'Scopes to ask for in addition to openid' }),
  callback_mode: text(64).optional().meta({
    description:
      '"client" (default): the client receives the answer of the provider; "direct": this server; "device": nobody is sent back',
  }),
  poll_interval: integer().pipe(storedInteger).optional().meta({
    description: 'Seconds between polls with the callback modes direct and device; default: 5, or as the provider says',
  }),
};

const texts = z.array(z.string()).readonly();
const callbackModes = ['client', 'direct', 'device'] as const;

export const browserRole = {
  role_type: z.enum(['jwt', 'oidc']),
  allowed_redirect_uris: texts,
  oidc_scopes: texts,
  callback_mode: z.enum(callbackModes),
  poll_interval: z.number(),
};

export type BrowserRole = Readonly<z.infer<z.ZodObject<typeof browserRole>>>;

export const newBrowserRole: BrowserRole = {
  role_type: 'jwt',
  allowed_redirect_uris: [],
  oidc_scopes: [],
  callback_mode: 'client',
  poll_interval: 0,
};

type BrowserRoleInput = Partial<Input<typeof browserRoleFields>> & { readonly role_type?: string | undefined };

/** @throws AppError `bad-request` for invalid settings */
export function browserRoleAfter(before: BrowserRole, input: BrowserRoleInput): BrowserRole {
  const after: BrowserRole = {
    role_type: roleType(input.role_type || before.role_type),
    allowed_redirect_uris: input.allowed_redirect_uris ?? before.allowed_redirect_uris,
    oidc_scopes: input.oidc_scopes ?? before.oidc_scopes,
    callback_mode: callbackMode(input.callback_mode || before.callback_mode),
    poll_interval: input.poll_interval ?? before.poll_interval,
  };
  if (after.role_type === 'oidc') check(after);
  return after;
}

function roleType(given: string): BrowserRole['role_type'] {
  if (given === 'jwt' || given === 'oidc') return given;
  throw badField('role_type', `invalid 'role_type': ${JSON.stringify(given)}`);
}

function callbackMode(given: string): BrowserRole['callback_mode'] {
  const known = callbackModes.find((mode) => mode === given);
  if (known === undefined) throw badField('callback_mode', `invalid 'callback_mode': ${JSON.stringify(given)}`);
  return known;
}

const urisMax = 100;
const uriCharactersMax = 2_048;
const scopesMax = 50;
/** RFC 6749, section 3.3. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
const pollSecondsMax = 60;

function check({ allowed_redirect_uris: uris, oidc_scopes: scopes, callback_mode: mode, poll_interval }: BrowserRole) {
  if (uris.length === 0 && mode !== 'device')
    throw badField(
      'allowed_redirect_uris',
      "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.",
    );
  if (uris.length > urisMax)
    throw badField('allowed_redirect_uris', `'allowed_redirect_uris' may have at most ${urisMax} entries`);
  const wrong = uris.findIndex((uri) => uri.length > uriCharactersMax || (URL.parse(uri)?.hash ?? '#') !== '');
  if (wrong >= 0)
    throw badField(
      'allowed_redirect_uris',
      `entry ${wrong + 1} of 'allowed_redirect_uris' is not a URI without a fragment`,
    );
  if (scopes.length > scopesMax || scopes.some((one) => !scope.test(one)))
    throw badField('oidc_scopes', `'oidc_scopes' may have at most ${scopesMax} scopes without blanks`);
  if (poll_interval < 0 || poll_interval > pollSecondsMax)
    throw badField('poll_interval', `'poll_interval' is a number of seconds from 0 to ${pollSecondsMax}`);
}
