import { z } from 'zod';
import { flag, oneOf, text } from '../../../path/jsonapi/fields.ts';
import { organizationFlags } from '../../access/organization-access.ts';

const flags = Object.fromEntries(organizationFlags.map((name) => [name, flag().nullish()]));

/** Attributes of a team that clients send. */
export const teamFields = {
  name: text(90).regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9 _.-]*[A-Za-z0-9_.-])?$/,
    'can only contain letters, numbers, spaces, "_", "-", and "."',
  ),
  'organization-access': z.object(flags, 'must be an object').nullable(),
  visibility: oneOf(['secret', 'organization']).nullable(),
  'sso-team-id': text(255).nullable(),
  'allow-member-token-management': flag().nullable(),
};
