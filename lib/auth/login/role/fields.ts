import { bool, duration, foldedList, type Input, integer, text, textList } from '../../../path/fields.ts';
import { stored } from '../../token/create/fields.ts';

const seconds = () => duration().pipe(stored).optional();
const policies = () => foldedList().optional();

/** What every role of an auth method says of the tokens of its logins. What is left out stays as it is. */
export const tokenFields = {
  token_ttl: seconds().meta({ description: 'First time to live; 0: that of the mount' }),
  token_max_ttl: seconds().meta({ description: 'Longest time to live, renewals included; 0: that of the mount' }),
  token_policies: policies().meta({ description: 'Policies of tokens' }),
  token_bound_cidrs: textList()
    .optional()
    .meta({ description: 'Blocks of addresses that logins and tokens come from' }),
  token_explicit_max_ttl: seconds().meta({ description: 'Fixed cap of the life time of tokens' }),
  token_no_default_policy: bool().optional().meta({ description: 'Leaves the policy default out' }),
  token_num_uses: integer()
    .pipe(stored)
    .optional()
    .meta({ description: 'How often tokens may be used; 0: without limit' }),
  token_period: seconds().meta({ description: 'Makes tokens periodic' }),
  token_type: text(64)
    .optional()
    .meta({ description: '"service", "batch", "default-service", "default-batch", or "default": as the mount says' }),
};

export type TokenInput = Partial<Input<typeof tokenFields>>;

/** The names that older clients send: `token_` is missing. Each method takes those that it has ever had. */
const formerFields = {
  ttl: seconds().meta({ description: 'Old name of token_ttl', formerNameOf: 'token_ttl' }),
  max_ttl: seconds().meta({ description: 'Old name of token_max_ttl', formerNameOf: 'token_max_ttl' }),
  policies: policies().meta({ description: 'Old name of token_policies', formerNameOf: 'token_policies' }),
  bound_cidrs: textList()
    .optional()
    .meta({ description: 'Old name of token_bound_cidrs', formerNameOf: 'token_bound_cidrs' }),
  num_uses: integer()
    .pipe(stored)
    .optional()
    .meta({ description: 'Old name of token_num_uses', formerNameOf: 'token_num_uses' }),
  period: seconds().meta({ description: 'Old name of token_period', formerNameOf: 'token_period' }),
};

export type FormerName = keyof typeof formerFields;
export type FormerInput = Partial<Input<typeof formerFields>>;

/** Some of the old names as fields. */
export const formerTokenFields = <N extends FormerName>(...names: readonly N[]): Pick<typeof formerFields, N> =>
  Object.fromEntries(names.map((name) => [name, formerFields[name]])) as Pick<typeof formerFields, N>;

export const formerNames = Object.keys(formerFields) as readonly FormerName[];
