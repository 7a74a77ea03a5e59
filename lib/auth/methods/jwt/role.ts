import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { isRawNumber } from '#core/json/json.ts';
import {
  bool,
  duration,
  type Input,
  integer,
  jsonObject,
  objectOfText,
  text,
  textList,
  textMap,
} from '#path/fields.ts';
import { partialJsonOf } from '#store/sql/kinds.ts';
import { storedAs } from '#store/sql/stored.ts';
import { roleName } from '../../login/kept/role-rows.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import { newTokenSettings, shownTokenSettings, tokenSettings, tokenSettingsAfter } from '../../login/role/settings.ts';
import { storedInteger } from '../../token/stored-integer.ts';
import type { Bounds } from './bound.ts';
import { browserRole, browserRoleAfter, browserRoleFields, newBrowserRole } from './browser-role.ts';
import { textsOf } from './claims.ts';

const former = ['ttl', 'max_ttl', 'policies', 'bound_cidrs', 'num_uses', 'period'] as const;
/** A negative leeway allows no difference. */
const leeway = () => integer().or(duration()).pipe(storedInteger).optional();

/** Absent fields keep their values. */
export const roleFields = {
  name: roleName,
  role_type: text(64).optional().meta({
    description: '"jwt": logins with a token; "oidc": logins by browser; default: the type of the mount',
  }),
  ...browserRoleFields,
  bound_audiences: textList().optional().meta({ description: 'Accepted audiences' }),
  bound_subject: text(2_048).optional().meta({ description: 'Required value of the claim sub' }),
  bound_claims: z
    .preprocess(objectOfText, jsonObject())
    .optional()
    .meta({ description: 'The allowed value or list of values of each claim' }),
  bound_claims_type: text(64).optional().meta({ description: '"string" (default) or "glob"' }),
  user_claim: text(512).optional().meta({ description: 'Claim that identifies the user' }),
  user_claim_json_pointer: bool().optional().meta({ description: 'Whether user_claim is a JSON pointer' }),
  groups_claim: text(512).optional().meta({ description: 'Claim with the names of groups' }),
  claim_mappings: textMap().optional().meta({ description: 'Metadata name for each claim' }),
  clock_skew_leeway: leeway().meta({ description: 'Allowed difference of clocks; 0 for 60 s, negative for none' }),
  expiration_leeway: leeway().meta({
    description: 'Lifetime of a token without exp; 0 for 150 s, negative for none',
  }),
  not_before_leeway: leeway().meta({
    description: 'Time before exp at which a token without nbf becomes valid; 0 for 150 s, negative for none',
  }),
  max_age: leeway().meta({ description: 'Maximum age of the login at the provider; 0 for any' }),
  verbose_oidc_logging: bool().optional().meta({ description: 'Stored for clients; claims are never logged' }),
  ...tokenFields,
  ...formerTokenFields(...former),
};

export type RoleInput = Input<typeof roleFields>;

const texts = z.array(z.string()).readonly();

const jwtRole = z.strictObject({
  ...browserRole,
  bound_audiences: texts,
  bound_subject: z.string(),
  bound_claims: z.record(z.string(), z.unknown()).readonly(),
  bound_claims_type: z.enum(['string', 'glob']),
  user_claim: z.string(),
  user_claim_json_pointer: z.boolean(),
  groups_claim: z.string(),
  claim_mappings: z.record(z.string(), z.string()).readonly(),
  clock_skew_leeway: z.number(),
  expiration_leeway: z.number(),
  not_before_leeway: z.number(),
  max_age: z.number(),
  verbose_oidc_logging: z.boolean(),
  token: tokenSettings,
});

/** A stored role. */
export type JwtRole = Readonly<z.infer<typeof jwtRole>>;

const newRole: JwtRole = {
  ...newBrowserRole,
  bound_audiences: [],
  bound_subject: '',
  bound_claims: {},
  bound_claims_type: 'string',
  user_claim: '',
  user_claim_json_pointer: false,
  groups_claim: '',
  claim_mappings: {},
  clock_skew_leeway: 0,
  expiration_leeway: 0,
  not_before_leeway: 0,
  max_age: 0,
  verbose_oidc_logging: false,
  token: newTokenSettings,
};

const storedJwtRole = partialJsonOf(jwtRole);

/** A role that does not exist yet has the type of its mount, unless a write says otherwise. */
export const roleBefore = (settings: object | undefined, mountType: string): JwtRole =>
  settings === undefined ? { ...newRole, role_type: mountType === 'oidc' ? 'oidc' : 'jwt' } : storedRole(settings);

/** A stored role with defaults for settings of later releases. */
export const storedRole = (settings: object): JwtRole => ({ ...newRole, ...storedAs(storedJwtRole, settings) });

const plain = [
  ...(['bound_audiences', 'bound_subject', 'user_claim', 'user_claim_json_pointer', 'groups_claim'] as const),
  ...(['clock_skew_leeway', 'expiration_leeway', 'not_before_leeway', 'max_age', 'verbose_oidc_logging'] as const),
];

/** The role after a request. @throws AppError `bad-request` for invalid settings */
export function roleAfter(before: JwtRole, input: RoleInput): JwtRole {
  const given = plain.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]] as const]));
  const after: JwtRole = {
    ...before,
    ...Object.fromEntries(given),
    ...browserRoleAfter(before, input),
    bound_claims: input.bound_claims === undefined ? before.bound_claims : boundClaims(input.bound_claims),
    bound_claims_type: claimsType(input.bound_claims_type ?? before.bound_claims_type),
    claim_mappings: input.claim_mappings === undefined ? before.claim_mappings : mappings(input.claim_mappings),
    token: tokenSettingsAfter(before.token, input),
  };
  if (after.user_claim === '') throw badField('user_claim', 'a user claim must be defined on the role');
  if (after.role_type === 'jwt') mustBeBound(after);
  return after;
}

function mustBeBound({ bound_audiences, bound_subject, bound_claims, token }: JwtRole): void {
  const bounds = [bound_audiences, bound_subject, token.token_bound_cidrs, Object.keys(bound_claims)];
  if (bounds.every(({ length }) => length === 0))
    throw badField(
      ['bound_audiences', 'bound_subject', 'bound_claims', 'token_bound_cidrs'],
      'must have at least one bound constraint when creating/updating a role',
    );
}

function claimsType(given: string): Bounds['bound_claims_type'] {
  if (given === '' || given === 'string') return 'string';
  if (given === 'glob') return given;
  throw badField('bound_claims_type', `invalid 'bound_claims_type': ${JSON.stringify(given)}`);
}

const claimsMax = 100;
const valuesMax = 1_000;

function boundClaims(given: Readonly<Record<string, unknown>>): Bounds['bound_claims'] {
  const claims = Object.entries(given);
  if (claims.length > claimsMax) throw badField('bound_claims', `'bound_claims' may have at most ${claimsMax} claims`);
  const kept = claims.map(([name, value]) => [name, Array.isArray(value) ? value.map(single) : single(value)] as const);
  const wrong = kept.find(
    ([, value]) => textsOf(value) === undefined || (Array.isArray(value) && value.length > valuesMax),
  );
  if (wrong !== undefined)
    throw badField(
      'bound_claims',
      `claim ${JSON.stringify(wrong[0])} of 'bound_claims' is neither a value nor a list of at most ${valuesMax}`,
    );
  return Object.fromEntries(kept);
}

const single = (value: unknown): unknown => (isRawNumber(value) ? value.rawJSON : value);

function mappings(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.values(given);
  if (names.length > claimsMax)
    throw badField('claim_mappings', `'claim_mappings' may have at most ${claimsMax} claims`);
  if (names.includes('role'))
    throw badField('claim_mappings', 'metadata key "role" is reserved and may not be a mapping destination');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw badField('claim_mappings', `multiple keys are mapped to metadata key ${JSON.stringify(twice)}`);
  return given;
}

export function shownRole(settings: object): object {
  const { token, poll_interval: seconds, ...role } = storedRole(settings);
  return { ...role, ...(seconds > 0 ? { poll_interval: seconds } : {}), ...shownTokenSettings(token, former) };
}
