import { badField } from '#core/errors.ts';
import { sentOf } from '#core/problem.ts';
import type { LeaseTimes } from '#path/contract/mount.ts';
import { shortDurationText } from '#path/duration-text.ts';
import { cidrOf } from '../../cidr.ts';
import { policySet } from '../../policy/names.ts';
import type { RoleInput } from './fields.ts';
import { type RoleSettings, type TokenTypeRule, tokenTypeRules } from './role.ts';

/** The role after a request. @throws AppError `bad-request` for settings that exclude each other */
export function roleAfter(before: RoleSettings, input: RoleInput): RoleSettings {
  const cidrs = input.token_bound_cidrs ?? input.bound_cidrs;
  const after: RoleSettings = {
    allowed_policies: policies(input.allowed_policies) ?? before.allowed_policies,
    allowed_policies_glob: names(input.allowed_policies_glob) ?? before.allowed_policies_glob,
    disallowed_policies: policies(input.disallowed_policies) ?? before.disallowed_policies,
    disallowed_policies_glob: names(input.disallowed_policies_glob) ?? before.disallowed_policies_glob,
    allowed_entity_aliases: names(input.allowed_entity_aliases) ?? before.allowed_entity_aliases,
    orphan: input.orphan ?? before.orphan,
    renewable: input.renewable ?? before.renewable,
    path_suffix: input.path_suffix === undefined ? before.path_suffix : suffix(input.path_suffix),
    bound_cidrs: cidrs?.map(cidrIn(sentOf(input, ['token_bound_cidrs', 'bound_cidrs']))) ?? before.bound_cidrs,
    explicit_max_ttl: input.token_explicit_max_ttl ?? input.explicit_max_ttl ?? before.explicit_max_ttl,
    no_default_policy: input.token_no_default_policy ?? before.no_default_policy,
    num_uses: input.token_num_uses ?? before.num_uses,
    period: input.token_period ?? input.period ?? before.period,
    token_type: input.token_type === undefined ? before.token_type : type(input.token_type),
  };
  if (after.num_uses < 0) throw badField('token_num_uses', "'token_num_uses' cannot be negative");
  if (after.token_type === 'batch') mustSuitBatch(after);
  return after;
}

const deprecated = ['period', 'explicit_max_ttl', 'bound_cidrs'] as const;

/** Warnings for the reply to a write. */
export function roleWarnings(input: RoleInput, leases: LeaseTimes): readonly string[] {
  const both = deprecated.filter((name) => input[name] !== undefined && input[`token_${name}`] !== undefined);
  const cap = input.token_explicit_max_ttl ?? input.explicit_max_ttl ?? 0;
  return [
    ...both.map(
      (name) => `Both 'token_${name}' and deprecated '${name}' value supplied, ignoring the deprecated value`,
    ),
    ...(cap > leases.max_lease_ttl
      ? [
          `explicit_max_ttl of "${shortDurationText(cap)}" exceeds the max_ttl of "${shortDurationText(leases.max_lease_ttl)}", which caps the life of tokens`,
        ]
      : []),
  ];
}

const policies = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given === undefined ? undefined : policySet(given);

/** Patterns in lower case, like the texts that they are matched against. */
const names = (given: readonly string[] | undefined): readonly string[] | undefined =>
  given && [...new Set(given.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '').sort();

function suffix(given: string): string {
  if (given === '' || /^\w[\w.-]*\w$/.test(given)) return given;
  throw badField(
    'path_suffix',
    "'path_suffix' may contain letters, digits, underscores, and dashes and dots between them",
  );
}

const cidrIn =
  (fields: readonly string[]) =>
  (given: string): string => {
    const kept = cidrOf(given);
    if (kept === undefined) throw badField(fields, `${JSON.stringify(given)} is not a CIDR block such as 10.0.0.0/8`);
    return kept;
  };

function type(given: string): TokenTypeRule {
  if (given === '') return 'default-service';
  const known = tokenTypeRules.find((rule) => rule === given);
  if (known === undefined) throw badField('token_type', `invalid 'token_type' value ${JSON.stringify(given)}`);
  return known;
}

function mustSuitBatch({ orphan, period, renewable, explicit_max_ttl, num_uses }: RoleSettings): void {
  const unfit = [
    [!orphan, 'non-orphan tokens'],
    [period > 0, 'periodic tokens'],
    [renewable, 'renewable tokens'],
    [explicit_max_ttl > 0, 'tokens with an explicit max TTL'],
    [num_uses > 0, 'tokens with limited use count'],
  ].find(([holds]) => holds === true);
  if (unfit === undefined) return;
  throw badField('token_type', `'token_type' cannot be 'batch' when role is set to generate ${unfit[1]}`);
}
