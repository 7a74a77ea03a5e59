import { z } from 'zod';
import { isRawNumber } from '../../../../core/json.ts';
import { bool, duration, text, textList, textMap } from '../../../../path/fields.ts';
import { lockout } from './lockout.ts';

const secondsMax = 2_147_483_647;

/** Seconds; 0 and "system": what the system says. An empty text, which the command line sends always, gives nothing. */
const leaseTime = (description: string) =>
  z
    .preprocess(givenLease, duration().pipe(z.int().max(secondsMax)).optional())
    .optional()
    .meta({ description });

function givenLease(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  return text === 'system' ? 0 : text;
}

/**
 * What clients of the API family send of mounts, as settings or beside them, and what means nothing here: everything is encrypted,
 * nothing is cached, and engines are parts of the service.
 */
export const keptByOthers = [
  ...['external_entropy_access', 'plugin_name', 'plugin_version', 'override_pinned_version', 'force_no_cache'],
  ...['allowed_managed_keys', 'delegated_auth_accessors', 'identity_token_key', 'trim_request_trailing_slashes'],
] as const;

/** Settings of a mount: members of `config` when it is made, fields of their own when it is tuned. */
export const settings = {
  default_lease_ttl: leaseTime('How long a lease is good for; "system" takes the setting away, an empty text keeps it'),
  max_lease_ttl: leaseTime('How long a lease may become; "system" takes the setting away, an empty text keeps it'),
  listing_visibility: text()
    .pipe(z.enum(['', 'hidden', 'unauth'], { error: 'listing_visibility is "unauth", "hidden" or empty' }))
    .optional()
    .meta({ description: '"unauth": shown to everybody in the listing for user interfaces' }),
  audit_non_hmac_request_keys: textList()
    .optional()
    .meta({ description: 'Members of requests that audit devices record in clear' }),
  audit_non_hmac_response_keys: textList()
    .optional()
    .meta({ description: 'Members of replies that audit devices record in clear' }),
  passthrough_request_headers: textList().optional().meta({ description: 'Kept for clients; not used' }),
  allowed_response_headers: textList().optional().meta({ description: 'Kept for clients; not used' }),
};

const tokenTypes = ['', 'default-service', 'default-batch', 'service', 'batch'] as const;

/** Auth methods have some more. */
export const authSettings = {
  ...settings,
  token_type: text()
    .pipe(z.enum(tokenTypes, { error: `token_type is ${tokenTypes.slice(1).join(', ')} or empty` }))
    .optional()
    .meta({ description: 'Type of tokens: "service", "batch", and what holds where a role says nothing' }),
  user_lockout_config: lockout.optional().meta({ description: 'When wrong credentials lock a user out' }),
};

export type Settings = { readonly [Name in keyof typeof authSettings]?: z.output<(typeof authSettings)[Name]> };

export type ConfigField = ReturnType<typeof configOf>;

/** Beside the settings, `config` has what cannot be tuned. */
export const configOf = (members: typeof settings | typeof authSettings) =>
  z
    .preprocess(
      (value) => (isRawNumber(value) ? Number(value.rawJSON) : (value ?? {})),
      z.object({ ...members, force_no_cache: bool().default(false) }),
    )
    .optional()
    .meta({ description: 'Settings of the mount' });

export const description = text().optional().meta({ description: 'For people' });

export const options = (description: string) => textMap().optional().meta({ description });
