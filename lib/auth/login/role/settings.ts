import { shortDurationText } from '../../../core/duration-text.ts';
import { badRequest } from '../../../core/errors.ts';
import type { Mount } from '../../../path/contract/mount.ts';
import { effectiveLeases } from '../../../path/lease-times.ts';
import { boundCidr, shownCidr } from '../../token/find/bound.ts';
import { policySet } from '../../token/issue/policies.ts';
import { type TokenTypeRule, tokenTypeRules } from '../../token/roles/role.ts';
import { type FormerInput, type FormerName, formerNames, type TokenInput } from './fields.ts';

/** What a role says of the tokens of its logins, as it is kept. Durations are in seconds; 0 and empty: nothing. */
export interface TokenSettings {
  readonly token_ttl: number;
  readonly token_max_ttl: number;
  readonly token_policies: readonly string[];
  readonly token_bound_cidrs: readonly string[];
  readonly token_explicit_max_ttl: number;
  readonly token_no_default_policy: boolean;
  readonly token_num_uses: number;
  readonly token_period: number;
  readonly token_type: TokenTypeRule;
}

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

/** The settings after a request. @throws AppError `bad-request` when they do not go together */
export function tokenSettingsAfter(before: TokenSettings, input: TokenInput & FormerInput): TokenSettings {
  const [policies, cidrs] = [input.token_policies ?? input.policies, input.token_bound_cidrs ?? input.bound_cidrs];
  const after: TokenSettings = {
    token_ttl: input.token_ttl ?? input.ttl ?? before.token_ttl,
    token_max_ttl: input.token_max_ttl ?? input.max_ttl ?? before.token_max_ttl,
    token_policies: policies === undefined ? before.token_policies : policySet(policies),
    token_bound_cidrs: cidrs?.map(keptCidr) ?? before.token_bound_cidrs,
    token_explicit_max_ttl: input.token_explicit_max_ttl ?? before.token_explicit_max_ttl,
    token_no_default_policy: input.token_no_default_policy ?? before.token_no_default_policy,
    token_num_uses: input.token_num_uses ?? input.num_uses ?? before.token_num_uses,
    token_period: input.token_period ?? input.period ?? before.token_period,
    token_type: input.token_type === undefined ? before.token_type : typeOf(input.token_type),
  };
  if (after.token_num_uses < 0) throw badRequest("'token_num_uses' cannot be negative");
  if (after.token_max_ttl > 0 && after.token_ttl > after.token_max_ttl)
    throw badRequest("'token_ttl' cannot be greater than 'token_max_ttl'");
  if (after.token_type === 'batch' || after.token_type === 'default-batch') mustSuitBatch(after);
  return after;
}

/** A block of addresses as it is kept. @throws AppError `bad-request` */
export function keptCidr(given: string): string {
  const kept = boundCidr(given);
  if (kept === undefined) throw badRequest(`${JSON.stringify(given)} is not a block of addresses such as 10.0.0.0/8`);
  return kept;
}

/** What is to be said of a write that went well. */
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
            `${name} of "${shortDurationText(value)}" exceeds the max_ttl of "${shortDurationText(longest)}" of the mount, which caps the life of tokens`,
          ]
        : [],
    ),
  ];
}

/** As reads answer them: what is set by one of these old names stands there by that name as well. */
export function shownTokenSettings(kept: TokenSettings, former: readonly FormerName[]): object {
  const settings = { ...kept, token_bound_cidrs: kept.token_bound_cidrs.map(shownCidr) };
  const twice = former.flatMap((name) => {
    const value = settings[`token_${name}`];
    return value === 0 || (Array.isArray(value) && value.length === 0) ? [] : [[name, value] as const];
  });
  return { ...settings, ...Object.fromEntries(twice) };
}

function typeOf(given: string): TokenTypeRule {
  if (given === '') return 'default';
  const known = tokenTypeRules.find((rule) => rule === given);
  if (known === undefined) throw badRequest(`invalid 'token_type' value ${JSON.stringify(given)}`);
  return known;
}

function mustSuitBatch({ token_period, token_num_uses, token_explicit_max_ttl }: TokenSettings): void {
  const when = "'token_type' cannot be 'batch' or 'default-batch' when set to generate";
  if (token_period > 0) throw badRequest(`${when} periodic tokens`);
  if (token_num_uses > 0) throw badRequest(`${when} tokens with limited use count`);
  if (token_explicit_max_ttl > 0) throw badRequest(`${when} tokens with an explicit max TTL`);
}
