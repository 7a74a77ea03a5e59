import { flag, text } from '#path/jsonapi/fields.ts';
import { email } from '../organizations/fields.ts';

/** A name must not look like an id, since requests name members of teams by either. */
export const username = () =>
  text(64)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/, 'can only contain letters, numbers, "_", "-" and "."')
    .refine((name) => !/^(user|team|org|api|invited)-/i.test(name), 'must not begin like an id');

export const accountFields = { username: username(), email: email() };

/** Attributes that site administrators set. Clients use two names for the administrator flag. */
export const adminFields = {
  ...accountFields,
  'is-admin': flag(),
  'is-site-admin': flag(),
  'is-suspended': flag(),
  'entity-id': text(64).nullable(),
};
