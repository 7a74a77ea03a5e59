import { pathText, text } from '#path/fields.ts';
import { formerTokenFields, tokenFields } from '../../login/role/fields.ts';

export const username = pathText('Name of the user, in lower case');

/** More than a password may have, so that a long password gets the error about passwords. */
const passwordCharactersMax = 4_096;

/** The password of a login. */
export const password = text(passwordCharactersMax)
  .default('')
  .meta({ description: 'Password; at most 72 bytes', sensitive: true });

export const passwordFields = {
  username,
  password: text(passwordCharactersMax).optional().meta({ description: 'Password; at most 72 bytes', sensitive: true }),
  password_hash: text(256).optional().meta({ description: 'bcrypt hash in place of the password', sensitive: true }),
};

/** The old names that this method once had. */
export const formerNames = ['policies', 'ttl', 'max_ttl', 'bound_cidrs'] as const;

export const userFields = { ...passwordFields, ...tokenFields, ...formerTokenFields(...formerNames) };

export const policyFields = {
  username,
  token_policies: tokenFields.token_policies,
  ...formerTokenFields('policies'),
};
