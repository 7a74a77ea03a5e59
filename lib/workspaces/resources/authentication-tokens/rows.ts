import { badRequest } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import { paged, readBy, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { tokenFields } from './fields.ts';
import { agentTokenRows } from './of-agents.ts';
import { createTeamToken, listOrganizationTeamTokens, orderOf } from './of-teams.ts';
import { createUserToken } from './of-users.ts';
import { removeToken, showToken } from './one.ts';
import { removeSole, renewSole, showSole } from './sole.ts';
import { listTokens } from './store.ts';

const organization = '/api/v2/organizations/:organization_name';
const team = '/api/v2/teams/:team_id';
const user = '/api/v2/users/:user_id/authentication-tokens';
const one = '/api/v2/authentication-tokens/:token_id';
const replies = { list: { 200: ['authentication-tokens'] }, made: { 201: 'authentication-tokens' } } as const;

/** Tokens of users, teams, organizations and agents. */
export const tokenRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...organizationTokenRows(parts),
  ...soleTeamRows(parts),
  ...teamRows(parts),
  ...userRows(parts),
  ...agentTokenRows(parts),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a token without its text',
    needs: { token: 'manage' },
    replies: { 200: 'authentication-tokens' },
    run: ({ found }) => showToken(parts.store, found),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a token',
    needs: { token: 'manage' },
    replies: { 204: null },
    run: ({ found }) => removeToken(parts.store, found),
  }),
];

/** The document of a token that replaces the present one. Clients may omit it or send an empty one. */
const renewal = ({ clock }: WorkspaceParts) => document({ attributes: tokenFields(clock), optional: true });

/** `token=audit-trails` names the token that reads the audit trail. */
const purpose = readBy([{ name: 'token', schema: { type: 'string', enum: ['audit-trails'] } }], (query) => {
  const text = query.get('token') || undefined;
  if (text !== undefined && text !== 'audit-trails')
    throw badRequest('the parameter token can only be "audit-trails"; omit it for the token of the organization');
  return text;
});

function organizationTokenRows(parts: WorkspaceParts): readonly ApiRow[] {
  const { store } = parts;
  const common = {
    path: `${organization}/authentication-token`,
    needs: { organization: 'owner' },
    query: { purpose },
  } as const;
  const ownerOf = (id: string, of: 'audit-trails' | undefined) =>
    ({ column: 'organization_id', id, ...(of === undefined ? {} : { purpose: of }) }) as const;
  return [
    operation({
      ...common,
      method: 'GET',
      summary: 'Read the token of an organization without its text',
      replies: { 200: 'authentication-tokens' },
      run: ({ found, query }) => showSole(store, ownerOf(found.organization.id, query.purpose)),
    }),
    operation({
      ...common,
      method: 'POST',
      summary: 'Create the token of an organization, replacing the present one',
      body: renewal(parts),
      replies: replies.made,
      run: ({ found, query, body, caller }) =>
        renewSole(store, ownerOf(found.organization.id, query.purpose), body.attributes, caller),
    }),
    operation({
      ...common,
      method: 'DELETE',
      summary: 'Delete the token of an organization',
      replies: { 204: null },
      run: ({ found, query }) => removeSole(store, ownerOf(found.organization.id, query.purpose)),
    }),
  ];
}

function soleTeamRows(parts: WorkspaceParts): readonly ApiRow[] {
  const { store } = parts;
  const common = { path: `${team}/authentication-token`, needs: { team: 'manage-tokens' } } as const;
  return [
    operation({
      ...common,
      method: 'GET',
      summary: 'Read the token of a team without its text',
      replies: { 200: 'authentication-tokens' },
      run: ({ found }) => showSole(store, { column: 'team_id', id: found.team.id }),
    }),
    operation({
      ...common,
      method: 'POST',
      summary: 'Create the token of a team, replacing the present one',
      body: renewal(parts),
      replies: replies.made,
      run: ({ found, body, caller }) =>
        renewSole(store, { column: 'team_id', id: found.team.id }, body.attributes, caller),
    }),
    operation({
      ...common,
      method: 'DELETE',
      summary: 'Delete the token of a team',
      replies: { 204: null },
      run: ({ found }) => removeSole(store, { column: 'team_id', id: found.team.id }),
    }),
  ];
}

const teamRows = ({ store, clock }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: `${organization}/team-tokens`,
    summary: 'List the tokens of all teams',
    needs: { organization: 'manage-teams' },
    query: {
      page: paged(),
      q: textQuery('q', 'A part of the name of the team'),
      order: readBy(['sort'], orderOf),
    },
    replies: replies.list,
    run: ({ found, query }) => listOrganizationTeamTokens(store, found, query),
  }),
  operation({
    method: 'GET',
    path: `${team}/authentication-tokens`,
    summary: 'List the tokens of a team',
    needs: { team: 'manage-tokens' },
    replies: replies.list,
    run: ({ found }) => listTokens(store.db, { column: 'team_id', id: found.team.id }),
  }),
  operation({
    method: 'POST',
    path: `${team}/authentication-tokens`,
    summary: 'Create one of several tokens of a team',
    needs: { team: 'manage-tokens' },
    body: document({ attributes: tokenFields(clock) }),
    replies: replies.made,
    run: ({ found, body, caller }) => createTeamToken(store, found.team.id, body.attributes, caller),
  }),
];

const userRows = ({ store, clock }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: user,
    summary: 'List the tokens of a user',
    needs: { user: 'manage-tokens' },
    replies: replies.list,
    run: ({ found }) => listTokens(store.db, { column: 'user_id', id: found.id }),
  }),
  operation({
    method: 'POST',
    path: user,
    summary: 'Create a token of a user',
    needs: { user: 'manage-tokens' },
    body: document({ attributes: tokenFields(clock) }),
    replies: replies.made,
    run: ({ found, body, caller }) => createUserToken(store, found.id, body.attributes, caller),
  }),
];
