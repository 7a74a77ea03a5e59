import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';
import { effectiveLeases, type Mount } from '#path/contract/mount.ts';
import { shortDurationText } from '#path/duration-text.ts';
import { cidrOf, shownCidr } from '../../cidr.ts';
import { policySet } from '../../policy/names.ts';
import { type TokenTypeRule, tokenTypeRules } from '../../token/roles/role.ts';
import { type FormerInput, type FormerName, formerNames, type TokenInput } from './fields.ts';

/** The stored token settings of a role. Durations are in seconds. 0 and empty values set no limit. */
export type TokenSettings = Readonly<z.infer<typeof tokenSettings>>;

const texts = z.array(z.string()).readonly();

export const tokenSettings = z.strictObject({
  token_ttl: z.number(),
  token_max_ttl: z.number(),
  token_policies: texts,
  token_bound_cidrs: texts,
  token_explicit_max_ttl: z.number(),
  token_no_default_policy: z.boolean(),
  token_num_uses: z.number(),
  token_period: z.number(),
  token_type: z.enum(tokenTypeRules),
});

export const newTokenSettings: TokenSettings = {
  token_ttl: 0,
  token_max_ttl: 0,
  token_policies: [],
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_period: 0,
  token_type: 'default',
};

/** The settings after a request. @throws AppError `bad-request` for settings that exclude each other */
export function tokenSettingsAfter(before: TokenSettings, input: TokenInput & FormerInput): TokenSettings {
  const [policies, cidrs] = [input.token_policies ?? input.policies, input.token_bound_cidrs ?? input.bound_cidrs];
  const after: TokenSettings = {
    token_ttl: input.token_ttl ?? input.ttl ?? before.token_ttl,
    token_max_ttl: input.token_max_ttl ?? input.max_ttl ?? before.token_max_ttl,
    token_policies: policies === undefined ? before.token_policies : policySet(policies),
    token_bound_cidrs:
      cidrs?.map(cidrIn(sentOf(input, ['token_bound_cidrs', 'bound_cidrs']))) ?? before.token_bound_cidrs,
    token_explicit_max_ttl: input.token_explicit_max_ttl ?? before.token_explicit_max_ttl,
    token_no_default_policy: input.token_no_default_policy ?? before.token_no_default_policy,
    token_num_uses: input.token_num_uses ?? input.num_uses ?? before.token_num_uses,
    token_period: input.token_period ?? input.period ?? before.token_period,
    token_type: input.token_type === undefined ? before.token_type : typeOf(input.token_type),
  };
  if (after.token_num_uses < 0)
    throw badField(sentOf(input, ['token_num_uses', 'num_uses']), "'token_num_uses' cannot be negative");
  if (after.token_max_ttl > 0 && after.token_ttl > after.token_max_ttl)
    throw badField(
      sentOf(input, ['token_ttl', 'ttl', 'token_max_ttl', 'max_ttl']),
      "'token_ttl' cannot be greater than 'token_max_ttl'",
    );
  if (after.token_type === 'batch' || after.token_type === 'default-batch') mustSuitBatch(after, input);
  return after;
}

/** A function that returns a CIDR block of these fields in stored form. @throws AppError `bad-request` */
export const cidrIn =
  (field: string | readonly string[]) =>
  (given: string): string => {
    const cidr = cidrOf(given);
    if (cidr === undefined) throw badField(field, `${JSON.stringify(given)} is not a CIDR block such as 10.0.0.0/8`);
    return cidr;
  };

/** Warnings for the reply to a write. */
export function tokenSettingsWarnings(input: TokenInput & FormerInput, mount: Mount): readonly string[] {
  const both = formerNames.filter((name) => input[name] !== undefined && input[`token_${name}`] !== undefined);
  const longest = effectiveLeases(mount.config).max_lease_ttl;
  const capped = {
    token_ttl: input.token_ttl ?? input.ttl,
    token_max_ttl: input.token_max_ttl ?? input.max_ttl,
    token_explicit_max_ttl: input.token_explicit_max_ttl,
    token_period: input.token_period ?? input.period,
  };
  return [
    ...both.map(
      (name) => `Both 'token_${name}' and deprecated '${name}' value supplied, ignoring the deprecated value`,
    ),
    ...Object.entries(capped).flatMap(([name, value = 0]) =>
      value > longest
        ? [
            `${name} of "${shortDurationText(value)}" exceeds the max_ttl of "${shortDurationText(longest)}" of the mount, which limits the lifetime of tokens`,
          ]
        : [],
    ),
  ];
}

/** The settings as clients read them. Settings with an old name of the method appear under that name as well. */
export function shownTokenSettings(stored: TokenSettings, former: readonly FormerName[]): object {
  const settings = { ...stored, token_bound_cidrs: stored.token_bound_cidrs.map(shownCidr) };
  const formerSettings = former.flatMap((name) => {
    const value = settings[`token_${name}`];
    return value === 0 || (Array.isArray(value) && value.length === 0) ? [] : [[name, value] as const];
  });
  return { ...settings, ...Object.fromEntries(formerSettings) };
}

function typeOf(given: string): TokenTypeRule {
  if (given === '') return 'default';
  const known = tokenTypeRules.find((rule) => rule === given);
  if (known === undefined) throw badField('token_type', `invalid 'token_type' value ${JSON.stringify(given)}`);
  return known;
}

function mustSuitBatch(
  { token_period, token_num_uses, token_explicit_max_ttl }: TokenSettings,
  input: TokenInput & FormerInput,
): void {
  const when = "'token_type' cannot be 'batch' or 'default-batch' when set to generate";
  if (token_period > 0)
    throw badField(sentOf(input, ['token_type', 'token_period', 'period']), `${when} periodic tokens`);
  if (token_num_uses > 0)
    throw badField(
      sentOf(input, ['token_type', 'token_num_uses', 'num_uses']),
      `${when} tokens with limited use count`,
    );
  if (token_explicit_max_ttl > 0)
    throw badField(sentOf(input, ['token_type', 'token_explicit_max_ttl']), `${when} tokens with an explicit max TTL`);
}
