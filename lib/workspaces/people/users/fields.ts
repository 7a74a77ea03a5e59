import { flag, text } from '../../../path/jsonapi/fields.ts';
import { email } from '../../organization/organizations/fields.ts';

/** No name looks like an id: members of teams are named by either. */
export const username = () =>
  text(64)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/, 'can only contain letters, numbers, "_", "-" and "."')
    .refine((name) => !/^(user|team|org|api|invited)-/i.test(name), 'must not begin as an id does');

export const accountFields = { username: username(), email: email() };

/** What administrators of the site say of a user. Both names of clients for one thing. */
export const adminFields = {
  ...accountFields,
  'is-admin': flag(),
  'is-site-admin': flag(),
  'is-suspended': flag(),
  'entity-id': text(64).nullable(),
};
