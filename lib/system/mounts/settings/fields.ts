import { z } from 'zod';
import { isRawNumber } from '#core/json/json.ts';
import { bool, duration, integer, text, textList, textMap } from '#path/fields.ts';

const secondsMax = 2_147_483_647;

/** Seconds; 0 and "system" mean the system default. An empty string, which the command line always sends, leaves the setting. */
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
 * Fields of mounts that clients of the API family send and that have no effect here: all data is encrypted, nothing is cached,
 * and engines are part of the service.
 */
export const keptByOthers = [
  'external_entropy_access',
  'plugin_name',
  'plugin_version',
  'override_pinned_version',
  'force_no_cache',
  'allowed_managed_keys',
  'delegated_auth_accessors',
  'identity_token_key',
  'trim_request_trailing_slashes',
] as const;

/** Settings of a mount: members of `config` in a mount request, top-level fields in a tune request. */
export const settings = {
  default_lease_ttl: leaseTime('Default lease time; "system" removes the setting, an empty string keeps it'),
  max_lease_ttl: leaseTime('Maximum lease time; "system" removes the setting, an empty string keeps it'),
  listing_visibility: text()
    .pipe(z.enum(['', 'hidden', 'unauth'], { error: 'listing_visibility must be "unauth", "hidden" or empty' }))
    .optional()
    .meta({ description: '"unauth" lets user interfaces list the mount even without a token' }),
  audit_non_hmac_request_keys: textList()
    .optional()
    .meta({ description: 'Request members that audit devices record in plaintext' }),
  audit_non_hmac_response_keys: textList()
    .optional()
    .meta({ description: 'Reply members that audit devices record in plaintext' }),
  passthrough_request_headers: textList().optional().meta({ description: 'Stored and returned, but without effect' }),
  allowed_response_headers: textList().optional().meta({ description: 'Stored and returned, but without effect' }),
};

const attemptsMax = 1_000_000;

const seconds = () => duration().pipe(z.int().max(secondsMax)).optional();

const lockoutMembers = z.object({
  lockout_threshold: integer().pipe(z.int().min(0).max(attemptsMax)).optional(),
  lockout_duration: seconds(),
  lockout_counter_reset_duration: seconds(),
  lockout_disable: bool().optional(),
});

/**
 * Lockout after failed logins. Durations are in seconds; 0 and absent mean the service's setting. Some clients prefix the names with
 * `user_`.
 */
const lockout = z.preprocess(withoutUser, lockoutMembers);

function withoutUser(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(lockoutMembers.shape).map((name) => [name, given[name] ?? given[`user_${name}`] ?? undefined]),
  );
}

const tokenTypes = ['', 'default-service', 'default-batch', 'service', 'batch'] as const;

/** Additional settings of auth methods. */
export const authSettings = {
  ...settings,
  token_type: text()
    .pipe(z.enum(tokenTypes, { error: `token_type must be ${tokenTypes.slice(1).join(', ')} or empty` }))
    .optional()
    .meta({
      description:
        'Token type "service" or "batch", or "default-service" or "default-batch", which a role may override',
    }),
  user_lockout_config: lockout.optional().meta({ description: 'Lockout after failed logins' }),
};

export type Settings = { readonly [Name in keyof typeof authSettings]?: z.output<(typeof authSettings)[Name]> };

export type ConfigField = ReturnType<typeof configOf>;

/** In addition to the settings, `config` has members that cannot be tuned. */
export const configOf = (members: typeof settings | typeof authSettings) =>
  z
    .preprocess(
      (value) => (isRawNumber(value) ? Number(value.rawJSON) : (value ?? {})),
      z.object({ ...members, force_no_cache: bool().default(false) }),
    )
    .optional()
    .meta({ description: 'Settings of the mount' });

export const description = text().optional().meta({ description: 'Description of the mount' });

/** `versions` describes the versions of the engines; empty when they have none. */
export const options = (versions: string) =>
  textMap()
    .optional()
    .meta({ description: versions === '' ? 'Options of the mount' : versions });
