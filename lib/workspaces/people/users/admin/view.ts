import { type Resource, timeText, toMany } from '../../../../path/jsonapi/resource.ts';
import { avatarOf, type UserRow } from '../view.ts';

/** A user and the names of its organizations. */
export interface AdminRow extends UserRow {
  readonly organization_names: readonly string[];
}

/** The document of a user as administrators of the site see it. */
export const adminResource = (user: AdminRow): Resource => ({
  ...{ id: user.id, type: 'users' },
  attributes: {
    username: user.username,
    email: user.email,
    'unconfirmed-email': user.unconfirmed_email,
    'avatar-url': avatarOf(user),
    'created-at': timeText(user.created_at),
    'entity-id': user.entity_id,
    'is-admin': user.site_admin,
    'is-site-admin': user.site_admin,
    'is-suspended': user.suspended,
    'is-invited': user.invited,
    'is-service-account': false,
    'two-factor': { enabled: false, verified: false },
  },
  relationships: { organizations: toMany('organizations', user.organization_names) },
  links: { self: `/api/v2/users/${user.id}` },
});
