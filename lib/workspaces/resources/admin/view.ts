import { type Resource, timeText, toMany } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, text } from '#store/sql/kinds.ts';
import { wsUsersTable } from '#store/tables/organizations.ts';
import { avatarOf } from '../users/view.ts';

/** A user and the names of its organizations. */
export type AdminRow = RowOf<typeof adminRowColumns>;

export const adminRowColumns = { ...wsUsersTable, organization_names: arrayOf(text) };

/** The document of a user for site administrators. */
export const adminResource = (user: AdminRow): Resource => ({
  id: user.id,
  type: 'users',
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
