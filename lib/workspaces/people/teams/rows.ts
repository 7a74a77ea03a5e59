import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { listTeams, showTeam } from './list.ts';
import { addMembers, removeMembers } from './members.ts';
import { createTeam, removeTeam, updateTeam } from './write.ts';

const all = '/api/v2/organizations/:organization_name/teams';
const one = '/api/v2/teams/:team_id';

/** Teams, and who is in them (reference, workspaces 2). */
export const teamRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path: all, summary: 'The teams of an organization', run: (call) => listTeams(parts, call) },
  { method: 'POST', path: all, summary: 'Make a team', run: (call) => createTeam(parts, call) },
  { method: 'GET', path: one, summary: 'A team', run: (call) => showTeam(parts, call) },
  { method: 'PATCH', path: one, summary: 'Change a team', run: (call) => updateTeam(parts, call) },
  { method: 'DELETE', path: one, summary: 'Remove a team', run: (call) => removeTeam(parts, call) },
  ...(['users', 'organization-memberships'] as const).flatMap((by): readonly ApiRow[] => [
    {
      method: 'POST',
      path: `${one}/relationships/${by}`,
      summary: `Add members to a team, by ${by}`,
      run: (call) => addMembers(parts, call, by),
    },
    {
      method: 'DELETE',
      path: `${one}/relationships/${by}`,
      summary: `Take members out of a team, by ${by}`,
      run: (call) => removeMembers(parts, call, by),
    },
  ]),
];
