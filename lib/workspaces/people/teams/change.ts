import { attributesOf } from '../../../path/jsonapi/body.ts';
import { forbidden } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { givesAll } from '../../access/exceeds.ts';
import type { Standing } from '../../access/standing.ts';
import { teamFields } from './fields.ts';
import { holdsAll, type TeamRow } from './team.ts';

/** What a document may change of a team. */
export type Changeable = Pick<TeamRow, 'name' | 'access' | 'visibility' | 'settings'>;

/**
 * A team as a document makes it from what it was; what was not sent stays.
 *
 * @throws ApiError 403 for a change of what the team may do in the organization beyond what the caller may
 */
export function changedBy(call: ApiCall, standing: Standing, old: Changeable): Changeable {
  const sent = attributesOf(call, 'teams', teamFields);
  const access = { ...old.access, ...withoutNull(sent['organization-access'] ?? {}) };
  const adds = Object.entries(access).some(
    ([flag, value]) => value && !Object.entries(old.access).some(([name, had]) => name === flag && had),
  );
  if (adds && !givesAll(standing) && !holdsAll(standing, access))
    throw forbidden('A team can be given only what its manager may do itself: ask an owner of the organization');
  const { 'sso-team-id': sso, 'allow-member-token-management': tokens } = sent;
  return {
    ...{ name: sent.name ?? old.name, access, visibility: sent.visibility ?? old.visibility },
    settings: {
      ...old.settings,
      ...(sso === undefined ? {} : { 'sso-team-id': sso }),
      ...(tokens === undefined || tokens === null ? {} : { 'allow-member-token-management': tokens }),
    },
  };
}

const withoutNull = (flags: Readonly<Record<string, boolean | null | undefined>>): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([flag, value]) => (typeof value === 'boolean' ? [[flag, value]] : [])),
  );
