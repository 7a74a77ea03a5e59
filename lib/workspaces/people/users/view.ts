import { createHash } from 'node:crypto';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import { isSiteAdmin } from '../../access/standing.ts';

/** A user as the store has it. */
export interface UserRow {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly unconfirmed_email: string | null;
  readonly entity_id: string | null;
  readonly site_admin: boolean;
  readonly suspended: boolean;
  readonly invited: boolean;
  readonly created_at: Date;
}

/** The document of a user. Addresses and what an administrator of the site knows are for the user itself and for them. */
export function userResource(user: UserRow, caller: ApiCaller): Resource {
  const isSelf = caller.kind === 'user' && caller.id === user.id;
  const isKnown = isSelf || isSiteAdmin(caller);
  return {
    ...{ id: user.id, type: 'users' },
    attributes: {
      username: user.username,
      email: isKnown ? user.email : null,
      'unconfirmed-email': isKnown ? user.unconfirmed_email : null,
      'is-service-account': false,
      'is-site-admin': isKnown ? user.site_admin : null,
      'is-admin': isKnown ? user.site_admin : null,
      'is-sso-login': false,
      'auth-method': 'tfe',
      'avatar-url': avatarOf(user),
      'v2-only': true,
      'two-factor': { enabled: false, verified: false },
      permissions: {
        'can-create-organizations': isSelf,
        'can-change-email': isSelf,
        'can-change-username': isSelf,
        'can-manage-user-tokens': isKnown,
        'can-view2fa-settings': false,
        'can-manage-hcp-account': false,
      },
    },
    relationships: {
      'authentication-tokens': { links: { related: `/api/v2/users/${user.id}/authentication-tokens` } },
    },
    links: { self: `/api/v2/users/${user.id}` },
  };
}

/** A user that was invited and has not accepted: the organization knows only its address, so its name is not shown. */
export function invitedResource(user: UserRow, caller: ApiCaller): Resource {
  const resource = userResource(user, caller);
  return isSiteAdmin(caller) ? resource : { ...resource, attributes: { ...resource.attributes, username: null } };
}

/** The picture that stands for no one: clients want an address, and that of a user's own would tell its email address. */
export const avatarOf = ({ id }: Pick<UserRow, 'id'>): string =>
  `https://www.gravatar.com/avatar/${createHash('md5').update(id).digest('hex')}?s=100&d=mm`;

/** What stands for a caller that is no user in the document of an account. */
export const serviceAccount = (id: string, username: string): Resource => ({
  ...{ id, type: 'users' },
  attributes: {
    username,
    email: null,
    'is-service-account': true,
    'two-factor': { enabled: false, verified: false },
    'v2-only': true,
  },
});
