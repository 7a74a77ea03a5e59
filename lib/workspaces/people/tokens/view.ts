import type { Secret } from '../../../core/secret.ts';
import { type Relationship, type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';

/** For what alone a token is; without one it is for all that its owner may do. */
export type TokenPurpose = 'audit-trails';

/** A token as the store has it. One of the three owners is there. */
export interface TokenRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly team_id: string | null;
  readonly organization_id: string | null;
  /** Of the organization that the token is of, or that made it. */
  readonly organization_name: string | null;
  readonly description: string | null;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expire_at: Date | null;
}

/** The document of a token. `text`: the token itself, which is shown once. */
export const tokenResource = (row: TokenRow, text?: Secret): Resource => ({
  ...{ id: row.id, type: 'authentication-tokens' },
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

/** Ids say what they are of. An organization is named by its name. */
function creatorOf({ created_by: id, organization_name }: TokenRow): Relationship {
  if (id?.startsWith('team-')) return toOne('teams', id);
  if (id?.startsWith('org-')) return toOne('organizations', organization_name);
  return toOne('users', id);
}
