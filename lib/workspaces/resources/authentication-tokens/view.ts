import type { Secret } from '#core/secret.ts';
import { type Relationship, type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { wsTokensTable } from '#store/tables/organizations.ts';

/** Restricts a token to one purpose. Without it the token has all rights of its owner. */
export type TokenPurpose = 'audit-trails';

/** A token as stored. Exactly one of the three owners is set. */
export type TokenRow = RowOf<typeof tokenRowColumns>;

export const tokenRowColumns = {
  ...pick(
    wsTokensTable,
    'id',
    'user_id',
    'team_id',
    'organization_id',
    'description',
    'created_by',
    'created_at',
    'last_used_at',
    'expire_at',
  ),
  /** The organization that owns the token or created it. */
  organization_name: nullable(text),
};

/** The document of a token. `text` is the token itself, which is shown once. */
export const tokenResource = (row: TokenRow, text?: Secret): Resource => ({
  id: row.id,
  type: 'authentication-tokens',
  attributes: {
    'created-at': timeText(row.created_at),
    'last-used-at': timeText(row.last_used_at),
    description: row.description,
    token: text === undefined ? null : text.reveal(),
    'expired-at': timeText(row.expire_at),
  },
  relationships: {
    'created-by': creatorOf(row),
    ...(row.team_id === null ? {} : { team: toOne('teams', row.team_id) }),
  },
  links: { self: `/api/v2/authentication-tokens/${row.id}` },
});

/** The prefix of an id determines its type. Organizations are referenced by name. */
function creatorOf({ created_by: id, organization_name }: TokenRow): Relationship {
  if (id?.startsWith('team-')) return toOne('teams', id);
  if (id?.startsWith('org-')) return toOne('organizations', organization_name);
  return toOne('users', id);
}
