import { z } from 'zod';
import { bool, duration, type Input, integer, objectOfText, pathText, text, textList, textMap } from '#path/fields.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import { storedInteger } from '../../token/stored-integer.ts';

export const role_name = pathText('Name of the role, in lower case');

/** Bound of an id, which has to fit into an index entry. */
const idMax = 1_024;
const blocks = () => textList().optional();

/** Has to be printable, since it becomes the name of an alias. */
export const role_id = text(idMax)
  .pipe(z.string().regex(/^[^\p{C}]*$/u, 'expected printable characters'))
  .optional()
  .meta({ description: 'Id of the role in logins; default: a random one' });

export const secretIdFields = {
  bind_secret_id: bool().optional().meta({ description: 'Whether logins need a secret id; default: true' }),
  secret_id_bound_cidrs: blocks().meta({ description: 'CIDR blocks that logins may come from' }),
  bound_cidr_list: blocks().meta({
    description: 'Old name of secret_id_bound_cidrs',
    formerNameOf: 'secret_id_bound_cidrs',
  }),
  secret_id_num_uses: integer()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Number of allowed uses of a secret id; 0 for unlimited' }),
  secret_id_ttl: duration()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Lifetime of a secret id; 0 for unlimited' }),
  local_secret_ids: bool()
    .optional()
    .meta({ description: 'Stored for clients; cannot change after the creation of the role' }),
};

/** The old names that this method once had. */
export const formerNames = ['policies', 'period'] as const;

export const roleFields = {
  role_name,
  role_id,
  ...secretIdFields,
  ...tokenFields,
  ...formerTokenFields(...formerNames),
};

/** Most clients send JSON in a string; the other forms of a map are accepted as well. */
const metadata = z.preprocess((value) => (value === '' ? {} : objectOfText(value)), textMap());

/** The fields of a new secret id. */
export const newSecretIdFields = {
  role_name,
  metadata: metadata.optional().meta({ description: 'Metadata, which logins pass on to the token' }),
  cidr_list: blocks().meta({ description: 'CIDR blocks that logins may come from' }),
  token_bound_cidrs: blocks().meta({ description: 'CIDR blocks that tokens may be used from' }),
  num_uses: integer()
    .pipe(storedInteger)
    .optional()
    .meta({ description: 'Number of allowed uses; default: that of the role' }),
  ttl: duration().pipe(storedInteger).optional().meta({ description: 'Lifetime; default: that of the role' }),
};

export type NewSecretIdInput = Omit<Input<typeof newSecretIdFields>, 'role_name'>;

export const secret_id = text(idMax).default('').meta({ description: 'Secret id', sensitive: true });
export const secret_id_accessor = text(idMax).default('').meta({ description: 'Accessor of a secret id' });

export const loginFields = {
  role_id: text(idMax).default('').meta({ description: 'Role id' }),
  secret_id,
};
