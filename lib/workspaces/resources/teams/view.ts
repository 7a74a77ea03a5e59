import { type Resource, toMany, toOne } from '#path/jsonapi/resource.ts';
import { organizationFlags } from '../../access/levels.ts';
import { type FoundTeam, teamRights } from '../../access/team.ts';

/** The document of a team as the caller sees it. */
export function teamResource(found: FoundTeam): Resource {
  const { team, standing } = found;
  const { id, name, owners, access, settings } = team;
  const rights = teamRights(found);
  const self = `/api/v2/teams/${id}`;
  return {
    id,
    type: 'teams',
    attributes: {
      name,
      visibility: team.visibility,
      'organization-access': Object.fromEntries(
        organizationFlags.map((flag) => [flag, owners || access[flag] === true]),
      ),
      'sso-team-id': settings['sso-team-id'] ?? null,
      'allow-member-token-management': settings['allow-member-token-management'] !== false,
      'users-count': team.user_ids.length,
      'is-unified': false,
      permissions: {
        'can-update-membership': rights.managesMembers,
        'can-destroy': rights.manages && !owners,
        'can-update-organization-access': rights.manages && !owners,
        'can-update-api-token': rights.managesTokens,
        'can-update-visibility': rights.manages && !owners,
        'can-update-name': rights.manages && !owners,
        'can-update-sso-team-id': rights.manages,
        'can-update-member-token-management': rights.manages,
        'can-view-member-token-management': true,
      },
    },
    relationships: {
      organization: toOne('organizations', standing.organization.name),
      users: toMany('users', team.user_ids),
      'organization-memberships': toMany('organization-memberships', team.membership_ids),
      'authentication-token': { links: { related: `${self}/authentication-token` } },
    },
    links: { self },
  };
}
