import { createHash } from 'node:crypto';
import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import type { wsUsersTable } from '#store/tables/organizations.ts';
import { isSiteAdmin } from '../../access/standing.ts';

/** A user as stored. */
export type UserRow = RowOf<typeof wsUsersTable>;

/** The document of a user. Only the user itself and site administrators get its addresses and the administrator flag. */
export function userResource(user: UserRow, caller: ApiCaller): Resource {
  const isSelf = caller.kind === 'user' && caller.id === user.id;
  const isKnown = isSelf || isSiteAdmin(caller);
  return {
    id: user.id,
    type: 'users',
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

/** The document of a user who has not accepted the invitation: the organization knows only the address, so the name is hidden. */
export function invitedResource(user: UserRow, caller: ApiCaller): Resource {
  const resource = userResource(user, caller);
  return isSiteAdmin(caller) ? resource : { ...resource, attributes: { ...resource.attributes, username: null } };
}

/** A generic picture: clients expect an address, and the hash in the address of the user's own picture would reveal its e-mail address. */
export const avatarOf = ({ id }: Pick<UserRow, 'id'>): string =>
  `https://www.gravatar.com/avatar/${createHash('md5').update(id).digest('hex')}?s=100&d=mm`;

/** The account document of a caller other than a user. */
export const serviceAccount = (id: string, username: string): Resource => ({
  id,
  type: 'users',
  attributes: {
    username,
    email: null,
    'is-service-account': true,
    'two-factor': { enabled: false, verified: false },
    'v2-only': true,
  },
});
