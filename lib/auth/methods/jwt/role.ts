import { z } from 'zod';
import { badRequest } from '../../../core/errors.ts';
import { isRawNumber } from '../../../core/json.ts';
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
} from '../../../path/fields.ts';
import { roleName } from '../../login/kept/role-rows.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import {
  newTokenSettings,
  shownTokenSettings,
  type TokenSettings,
  tokenSettingsAfter,
} from '../../login/role/settings.ts';
import { stored } from '../../token/create/fields.ts';
import type { Bounds } from './bound.ts';
import { textsOf } from './claims.ts';
import type { Leeways } from './times.ts';

const former = ['ttl', 'max_ttl', 'policies', 'bound_cidrs', 'num_uses', 'period'] as const;
/** A negative one means: exactly. */
const leeway = () => integer().or(duration()).pipe(stored).optional();

/** What is left out stays as it is. */
export const roleFields = {
  name: roleName,
  role_type: text(64).optional().meta({ description: 'Only "jwt"' }),
  bound_audiences: textList().optional().meta({ description: 'Whom tokens may be made for' }),
  bound_subject: text(2_048).optional().meta({ description: 'The claim sub that tokens have to have' }),
  bound_claims: z
    .preprocess(objectOfText, jsonObject())
    .optional()
    .meta({ description: 'Claims, and the value or list of values that each may have' }),
  bound_claims_type: text(64).optional().meta({ description: '"string" (default) or "glob"' }),
  user_claim: text(512).optional().meta({ description: 'The claim that the user is known by' }),
  user_claim_json_pointer: bool().optional().meta({ description: 'user_claim is a JSON pointer' }),
  groups_claim: text(512).optional().meta({ description: 'The claim with the names of groups' }),
  claim_mappings: textMap().optional().meta({ description: 'Claims, and the name in the metadata that each gets' }),
  clock_skew_leeway: leeway().meta({ description: 'How much clocks may differ; 0: 60 s; negative: not at all' }),
  expiration_leeway: leeway().meta({
    description: 'Life of a token that does not say its end; 0: 150 s; negative: none',
  }),
  not_before_leeway: leeway().meta({
    description: 'Life before its end of a token without a start; 0: 150 s; negative: none',
  }),
  max_age: leeway().meta({ description: 'How long ago the log-in at the provider may be; 0: any time' }),
  verbose_oidc_logging: bool().optional().meta({ description: 'Kept for clients; claims are never logged' }),
  ...tokenFields,
  ...formerTokenFields(...former),
};

export type RoleInput = Input<typeof roleFields>;

/** A role as it is kept. */
export interface JwtRole extends Bounds, Leeways {
  readonly user_claim: string;
  readonly user_claim_json_pointer: boolean;
  readonly groups_claim: string;
  readonly claim_mappings: Readonly<Record<string, string>>;
  readonly verbose_oidc_logging: boolean;
  readonly token: TokenSettings;
}

const newRole: JwtRole = {
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

/** What was kept of a role, with what later releases know beside it. */
export const keptRole = (settings: object | undefined): JwtRole => ({ ...newRole, ...settings });

const plain = [
  ...(['bound_audiences', 'bound_subject', 'user_claim', 'user_claim_json_pointer', 'groups_claim'] as const),
  ...(['clock_skew_leeway', 'expiration_leeway', 'not_before_leeway', 'max_age', 'verbose_oidc_logging'] as const),
];

/** A role after a request. @throws AppError `bad-request` when it cannot be used */
export function roleAfter(before: JwtRole, input: RoleInput): JwtRole {
  mustBeJwt(input.role_type ?? '');
  const given = plain.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]] as const]));
  const after: JwtRole = {
    ...before,
    ...Object.fromEntries(given),
    bound_claims: input.bound_claims === undefined ? before.bound_claims : boundClaims(input.bound_claims),
    bound_claims_type: claimsType(input.bound_claims_type ?? before.bound_claims_type),
    claim_mappings: input.claim_mappings === undefined ? before.claim_mappings : mappings(input.claim_mappings),
    token: tokenSettingsAfter(before.token, input),
  };
  if (after.user_claim === '') throw badRequest('a user claim must be defined on the role');
  mustBeBound(after);
  return after;
}

function mustBeJwt(type: string): void {
  if (type === '' || type === 'jwt') return;
  if (type !== 'oidc') throw badRequest(`invalid 'role_type': ${JSON.stringify(type)}`);
  throw badRequest(
    "'role_type' oidc, which logs in by a browser, is not supported: set it to jwt and log in with a token",
  );
}

function mustBeBound({ bound_audiences, bound_subject, bound_claims, token }: JwtRole): void {
  const bounds = [bound_audiences, bound_subject, token.token_bound_cidrs, Object.keys(bound_claims)];
  if (bounds.every(({ length }) => length === 0))
    throw badRequest('must have at least one bound constraint when creating/updating a role');
}

function claimsType(given: string): Bounds['bound_claims_type'] {
  if (given === '' || given === 'string') return 'string';
  if (given === 'glob') return given;
  throw badRequest(`invalid 'bound_claims_type': ${JSON.stringify(given)}`);
}

const claimsMax = 100;
const valuesMax = 1_000;

function boundClaims(given: Readonly<Record<string, unknown>>): Bounds['bound_claims'] {
  const claims = Object.entries(given);
  if (claims.length > claimsMax) throw badRequest(`'bound_claims' has more than ${claimsMax} claims`);
  const kept = claims.map(([name, value]) => [name, Array.isArray(value) ? value.map(single) : single(value)] as const);
  const wrong = kept.find(
    ([, value]) => textsOf(value) === undefined || (Array.isArray(value) && value.length > valuesMax),
  );
  if (wrong !== undefined)
    throw badRequest(
      `claim ${JSON.stringify(wrong[0])} of 'bound_claims' is neither a value nor a list of at most ${valuesMax}`,
    );
  return Object.fromEntries(kept);
}

const single = (value: unknown): unknown => (isRawNumber(value) ? value.rawJSON : value);

function mappings(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.values(given);
  if (names.length > claimsMax) throw badRequest(`'claim_mappings' has more than ${claimsMax} claims`);
  if (names.includes('role')) throw badRequest('metadata key "role" is reserved and may not be a mapping destination');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badRequest(`multiple keys are mapped to metadata key ${JSON.stringify(twice)}`);
  return given;
}

export function shownRole(settings: object): object {
  const { token, ...role } = keptRole(settings);
  return { role_type: 'jwt', ...role, ...shownTokenSettings(token, former) };
}
