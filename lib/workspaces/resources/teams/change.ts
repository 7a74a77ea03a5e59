import { z } from 'zod';
import type { Attributes } from '#path/jsonapi/body.ts';
import { forbidden } from '#path/jsonapi/error.ts';
import { flag, oneOf, text } from '#path/jsonapi/fields.ts';
import { givesAll } from '../../access/exceeds.ts';
import { organizationFlags } from '../../access/levels.ts';
import type { Standing } from '../../access/standing.ts';
import { holdsAll, type TeamRow } from '../../access/team.ts';

const flags = Object.fromEntries(organizationFlags.map((name) => [name, flag().nullish()]));

/** Attributes of a team in a request. */
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

/** Attributes of a team in a document. */
export type SentTeam = Attributes<typeof teamFields>;

/** The columns of a team that a document can change. */
export type Changeable = Pick<TeamRow, 'name' | 'access' | 'visibility' | 'settings'>;

/**
 * A team after a request. Attributes that were not sent keep their values.
 *
 * @throws ApiError 403 when the request gives the team a right in the organization that the caller lacks
 */
export function changedBy(sent: SentTeam, standing: Standing, old: Changeable): Changeable {
  const access = { ...old.access, ...withoutNull(sent['organization-access'] ?? {}) };
  const adds = Object.entries(access).some(
    ([flag, value]) => value && !Object.entries(old.access).some(([name, had]) => name === flag && had),
  );
  if (adds && !givesAll(standing) && !holdsAll(standing, access))
    throw forbidden('You can give a team only rights that you have yourself: ask an owner of the organization');
  const { 'sso-team-id': sso, 'allow-member-token-management': tokens } = sent;
  return {
    name: sent.name ?? old.name,
    access,
    visibility: sent.visibility ?? old.visibility,
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
