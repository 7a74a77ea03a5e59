import { z } from 'zod';
import { atMost, bool, duration, foldedList, type Input, integer, text, textList } from '../../../path/fields.ts';
import { stored } from '../create/fields.ts';

/** Name and suffix stand in the path of every token of the role. */
const nameMax = 512;
const seconds = () => duration().pipe(stored).optional();
const list = () => textList().optional();
const policies = () => foldedList().optional();

/** Specification, section 4.1.2. What is left out stays as it is. */
export const roleFields = {
  role_name: z
    .string()
    .max(nameMax, atMost(nameMax, 'characters'))
    .meta({ description: 'Name of the role', in: 'path' }),
  allowed_policies: policies().meta({ description: 'Policies that tokens may have instead of the caller’s' }),
  allowed_policies_glob: list().meta({ description: 'The same with * for any text' }),
  disallowed_policies: policies().meta({ description: 'Policies that tokens may not have' }),
  disallowed_policies_glob: list().meta({ description: 'The same with * for any text' }),
  allowed_entity_aliases: list().meta({ description: 'Aliases that tokens may be asked for with; * for any text' }),
  orphan: bool().optional().meta({ description: 'Tokens have no parent' }),
  renewable: bool().optional().meta({ description: 'Tokens may be renewed; default: true' }),
  path_suffix: text(nameMax).optional().meta({ description: 'Stands behind the role in the path of tokens' }),
  token_bound_cidrs: list().meta({ description: 'Blocks of addresses that tokens may be used from' }),
  bound_cidrs: list().meta({ description: 'Old name of token_bound_cidrs', formerNameOf: 'token_bound_cidrs' }),
  token_explicit_max_ttl: seconds().meta({ description: 'Fixed cap of the life time of tokens' }),
  explicit_max_ttl: seconds().meta({
    description: 'Old name of token_explicit_max_ttl',
    formerNameOf: 'token_explicit_max_ttl',
  }),
  token_no_default_policy: bool().optional().meta({ description: 'Leaves the policy default out' }),
  token_num_uses: integer().pipe(stored).optional().meta({ description: 'How often tokens may be used; 0: unlimited' }),
  token_period: seconds().meta({ description: 'Makes tokens periodic' }),
  period: seconds().meta({ description: 'Old name of token_period', formerNameOf: 'token_period' }),
  token_type: text().optional().meta({
    description: '"service", "batch", "default", "default-service" (what holds unless it is said) or "default-batch"',
  }),
};

export type RoleInput = Input<typeof roleFields>;
