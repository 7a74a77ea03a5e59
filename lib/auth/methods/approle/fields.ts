import { z } from 'zod';
import {
  bool,
  duration,
  type Input,
  integer,
  objectOfText,
  pathText,
  text,
  textList,
  textMap,
} from '../../../path/fields.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';
import { stored } from '../../token/create/fields.ts';

export const role_name = pathText('Name of the role; capitals do not count');

/** An index entry has to hold it. */
const idMax = 1_024;
const blocks = () => textList().optional();

/** Printable, so that it can be the name of an alias. */
export const role_id = text(idMax)
  .pipe(z.string().regex(/^[^\p{C}]*$/u, 'expected printable characters'))
  .optional()
  .meta({ description: 'What a login names the role by; default: a random one' });

export const secretIdFields = {
  bind_secret_id: bool().optional().meta({ description: 'A login needs a secret id; default: true' }),
  secret_id_bound_cidrs: blocks().meta({ description: 'Blocks of addresses that logins may come from' }),
  bound_cidr_list: blocks().meta({
    description: 'Old name of secret_id_bound_cidrs',
    formerNameOf: 'secret_id_bound_cidrs',
  }),
  secret_id_num_uses: integer()
    .pipe(stored)
    .optional()
    .meta({ description: 'How often a secret id may be used; 0: without limit' }),
  secret_id_ttl: duration()
    .pipe(stored)
    .optional()
    .meta({ description: 'How long a secret id lives; 0: without limit' }),
  local_secret_ids: bool().optional().meta({ description: 'Kept for clients; fixed once the role exists' }),
};

/** Old names that this method has had. */
export const formerNames = ['policies', 'period'] as const;

export const roleFields = {
  role_name,
  role_id,
  ...secretIdFields,
  ...tokenFields,
  ...formerTokenFields(...formerNames),
};

/** A JSON text, as most clients send it, or what a map of texts may be otherwise. */
const metadata = z.preprocess((value) => (value === '' ? {} : objectOfText(value)), textMap());

/** Of a secret id that is made. */
export const newSecretIdFields = {
  role_name,
  metadata: metadata.optional().meta({ description: 'Names and texts that logins pass on to the token' }),
  cidr_list: blocks().meta({ description: 'Blocks of addresses that logins may come from' }),
  token_bound_cidrs: blocks().meta({ description: 'Blocks of addresses that tokens may be used from' }),
  num_uses: integer()
    .pipe(stored)
    .optional()
    .meta({ description: 'How often it may be used; default: as the role says' }),
  ttl: duration().pipe(stored).optional().meta({ description: 'How long it lives; default: as the role says' }),
};

export type NewSecretIdInput = Omit<Input<typeof newSecretIdFields>, 'role_name'>;

export const secret_id = text(idMax).default('').meta({ description: 'Secret id', sensitive: true });
export const secret_id_accessor = text(idMax).default('').meta({ description: 'Accessor of a secret id' });

export const loginFields = {
  role_id: text(idMax).default('').meta({ description: 'Role id' }),
  secret_id,
};
