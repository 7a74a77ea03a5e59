import { pathText, text } from '../../../path/fields.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';

export const username = pathText('Name of the user; capitals do not count');

/** Longer than any password may be, so that it is the password that is refused. */
const passwordCharactersMax = 4_096;

/** For a login. */
export const password = text(passwordCharactersMax)
  .default('')
  .meta({ description: 'Password; at most 72 bytes', sensitive: true });

export const passwordFields = {
  username,
  password: text(passwordCharactersMax).optional().meta({ description: 'Password; at most 72 bytes', sensitive: true }),
  password_hash: text(256).optional().meta({ description: 'Instead: its bcrypt hash', sensitive: true }),
};

/** Old names that this method has had. */
export const formerNames = ['policies', 'ttl', 'max_ttl', 'bound_cidrs'] as const;

export const userFields = { ...passwordFields, ...tokenFields, ...formerTokenFields(...formerNames) };

export const policyFields = {
  username,
  token_policies: tokenFields.token_policies,
  ...formerTokenFields('policies'),
};
