import { bool, duration, foldedList, type Input, integer, text, textList } from '#path/fields.ts';
import { storedInteger } from '../../token/stored-integer.ts';

const seconds = () => duration().pipe(storedInteger).optional();
const policies = () => foldedList().optional();

/** The token settings of a role of any auth method. Absent fields keep their values. */
export const tokenFields = {
  token_ttl: seconds().meta({ description: 'Initial time to live; 0 for that of the mount' }),
  token_max_ttl: seconds().meta({ description: 'Maximum lifetime with renewals; 0 for that of the mount' }),
  token_policies: policies().meta({ description: 'Policies of tokens' }),
  token_bound_cidrs: textList().optional().meta({ description: 'CIDR blocks that logins and tokens may come from' }),
  token_explicit_max_ttl: seconds().meta({ description: 'Fixed limit of the lifetime of tokens' }),
  token_no_default_policy: bool().optional().meta({ description: 'Leave the policy default out' }),
  token_num_uses: integer()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Number of allowed uses of tokens; 0 for unlimited' }),
  token_period: seconds().meta({ description: 'Make tokens periodic with this period' }),
  token_type: text(64).optional().meta({
    description: '"service", "batch", "default-service", "default-batch", or "default" for the setting of the mount',
  }),
};

export type TokenInput = Partial<Input<typeof tokenFields>>;

/** Names without `token_`, which older clients send. Each method accepts those that it once had. */
const formerFields = {
  ttl: seconds().meta({ description: 'Old name of token_ttl', formerNameOf: 'token_ttl' }),
  max_ttl: seconds().meta({ description: 'Old name of token_max_ttl', formerNameOf: 'token_max_ttl' }),
  policies: policies().meta({ description: 'Old name of token_policies', formerNameOf: 'token_policies' }),
  bound_cidrs: textList()
    .optional()
    .meta({ description: 'Old name of token_bound_cidrs', formerNameOf: 'token_bound_cidrs' }),
  num_uses: integer()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Old name of token_num_uses', formerNameOf: 'token_num_uses' }),
  period: seconds().meta({ description: 'Old name of token_period', formerNameOf: 'token_period' }),
};

export type FormerName = keyof typeof formerFields;
export type FormerInput = Partial<Input<typeof formerFields>>;

/** The fields of some of the old names. */
export const formerTokenFields = <N extends FormerName>(...names: readonly N[]): Pick<typeof formerFields, N> =>
  Object.fromEntries(names.map((name) => [name, formerFields[name]])) as Pick<typeof formerFields, N>;

export const formerNames = Object.keys(formerFields) as readonly FormerName[];
