import { z } from 'zod';
import { atMost, bool, duration, foldedList, type Input, integer, text, textList } from '#path/fields.ts';
import { storedInteger } from '../stored-integer.ts';

/** Bound of name and suffix, which are part of the path of every token of the role. */
const nameMax = 512;
const seconds = () => duration().pipe(storedInteger).optional();
const list = () => textList().optional();
const policies = () => foldedList().optional();

/** The body of `auth/token/roles/:role_name`. Absent fields keep their values. */
export const roleFields = {
  role_name: z
    .string()
    .max(nameMax, atMost(nameMax, 'characters'))
    .meta({ description: 'Name of the role', in: 'path' }),
  allowed_policies: policies().meta({ description: 'Policies that tokens may have, in place of those of the caller' }),
  allowed_policies_glob: list().meta({ description: 'Like the field without _glob, with * for any text' }),
  disallowed_policies: policies().meta({ description: 'Policies that tokens may not have' }),
  disallowed_policies_glob: list().meta({ description: 'Like the field without _glob, with * for any text' }),
  allowed_entity_aliases: list().meta({ description: 'Entity aliases that token requests may name; * for any text' }),
  orphan: bool().optional().meta({ description: 'Create tokens without a parent' }),
  renewable: bool().optional().meta({ description: 'Whether tokens can be renewed; default: true' }),
  path_suffix: text(nameMax)
    .optional()
    .meta({ description: 'Suffix of the path of tokens, after the name of the role' }),
  token_bound_cidrs: list().meta({ description: 'CIDR blocks that tokens may be used from' }),
  bound_cidrs: list().meta({ description: 'Old name of token_bound_cidrs', formerNameOf: 'token_bound_cidrs' }),
  token_explicit_max_ttl: seconds().meta({ description: 'Fixed limit of the lifetime of tokens' }),
  explicit_max_ttl: seconds().meta({
    description: 'Old name of token_explicit_max_ttl',
    formerNameOf: 'token_explicit_max_ttl',
  }),
  token_no_default_policy: bool().optional().meta({ description: 'Leave the policy default out' }),
  token_num_uses: integer()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Number of allowed uses of tokens; 0 for unlimited' }),
  token_period: seconds().meta({ description: 'Make tokens periodic with this period' }),
  period: seconds().meta({ description: 'Old name of token_period', formerNameOf: 'token_period' }),
  token_type: text().optional().meta({
    description: '"service", "batch", "default", "default-service" (the default) or "default-batch"',
  }),
};

export type RoleInput = Input<typeof roleFields>;
