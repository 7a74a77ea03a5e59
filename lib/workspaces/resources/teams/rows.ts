import { document, identifiers } from '#path/jsonapi/input.ts';
import { includes, listQuery, paged, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { teamFields } from './change.ts';
import { includable, listTeams, showTeam } from './list.ts';
import { addMembers, type By, removeMembers } from './members.ts';
import { createTeam, removeTeam, updateTeam } from './write.ts';

const all = '/api/v2/organizations/:organization_name/teams';
const one = '/api/v2/teams/:team_id';
const include = includes(includable);
const body = document({ type: 'teams', attributes: teamFields });

/** Teams and their members. */
export const teamRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...listRows(parts),
  ...oneRows(parts),
  ...memberRows(parts, 'users'),
  ...memberRows(parts, 'organization-memberships'),
];

const listRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the teams of an organization',
    needs: { organization: 'member' },
    query: {
      page: paged(),
      q: textQuery('q', 'A part of the name'),
      names: listQuery('filter[names]', 'Names with commas between them'),
      include,
    },
    replies: { 200: ['teams'] },
    run: ({ found, query }) => listTeams(store, found, query),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create a team',
    needs: { organization: 'manage-teams' },
    body,
    replies: { 200: 'teams', 403: 'The team would have more rights than the caller' },
    run: ({ found, body }) => createTeam(store, found, body.attributes),
  }),
];

const oneRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a team',
    needs: { team: 'read' },
    query: { include },
    replies: { 200: 'teams' },
    run: ({ found, query }) => showTeam(store, found, query.include),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a team',
    needs: { team: 'manage' },
    body,
    replies: { 200: 'teams', 403: 'It is the team of owners, or would have more rights than the caller' },
    run: ({ found, body }) => updateTeam(store, found, body.attributes),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a team',
    needs: { team: 'manage' },
    replies: { 204: null, 403: 'It is the team of owners' },
    run: ({ found }) => removeTeam(store, found),
  }),
];

const memberRows = ({ store }: WorkspaceParts, by: By): readonly ApiRow[] =>
  [
    { method: 'POST', summary: `Add members to a team, by ${by}`, change: addMembers } as const,
    { method: 'DELETE', summary: `Remove members from a team, by ${by}`, change: removeMembers } as const,
  ].map(({ method, summary, change }) =>
    operation({
      method,
      path: `${one}/relationships/${by}`,
      summary,
      needs: { team: 'manage-members' },
      body: identifiers(by),
      replies: { 204: null },
      run: ({ found, body }) => change(store, found, { names: [...new Set(body)], by }),
    }),
  );
