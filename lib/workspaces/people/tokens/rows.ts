import { badRequest } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createTeamToken, listOrganizationTeamTokens, listTeamTokens, teamIn } from './of-teams.ts';
import { createUserToken, listUserTokens } from './of-users.ts';
import { removeToken, showToken } from './one.ts';
import { removeSole, renewSole, showSole } from './sole.ts';
import type { TokenOwner } from './store.ts';

const organization = '/api/v2/organizations/:organization_name';
const team = '/api/v2/teams/:team_id';
const user = '/api/v2/users/:user_id/authentication-tokens';
const one = '/api/v2/authentication-tokens/:token_id';

/** Tokens of users, teams and organizations (reference, workspaces 2). */
export const tokenRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...soleRows(parts, `${organization}/authentication-token`, 'the organization', (call) => organizationIn(parts, call)),
  ...soleRows(parts, `${team}/authentication-token`, 'a team', (call) => teamIn(parts, call)),
  {
    method: 'GET',
    path: `${organization}/team-tokens`,
    summary: 'The tokens of all teams',
    run: (call) => listOrganizationTeamTokens(parts, call),
  },
  {
    method: 'GET',
    path: `${team}/authentication-tokens`,
    summary: 'The tokens of a team',
    run: (call) => listTeamTokens(parts, call),
  },
  {
    method: 'POST',
    path: `${team}/authentication-tokens`,
    summary: 'Make a token of a team, one of several',
    run: (call) => createTeamToken(parts, call),
  },
  { method: 'GET', path: user, summary: 'The tokens of a user', run: (call) => listUserTokens(parts, call) },
  { method: 'POST', path: user, summary: 'Make a token of a user', run: (call) => createUserToken(parts, call) },
  { method: 'GET', path: one, summary: 'A token, without its text', run: (call) => showToken(parts, call) },
  { method: 'DELETE', path: one, summary: 'End a token', run: (call) => removeToken(parts, call) },
];

/** `token=audit-trails` names the token of the audit trail. @throws ApiError 400 for another one, 404 */
async function organizationIn({ store }: WorkspaceParts, { caller, parameters, query }: ApiCall) {
  const purpose = query.get('token') || undefined;
  if (purpose !== undefined && purpose !== 'audit-trails')
    throw badRequest('the parameter token can only be "audit-trails": leave it out for the token of the organization');
  const standing = await standingIn(store, caller, parameters['organization_name'] ?? '');
  mustHave(standing.isOwner);
  const owner = { column: 'organization_id', id: standing.organization.id } as const;
  return purpose === undefined ? owner : ({ ...owner, purpose } as const);
}

type OwnerOf = (call: ApiCall) => Promise<Exclude<TokenOwner, { readonly column: 'user_id' }>>;

function soleRows(parts: WorkspaceParts, path: string, whose: string, ownerOf: OwnerOf): readonly ApiRow[] {
  const row = (
    method: 'GET' | 'POST' | 'DELETE',
    summary: string,
    run: (call: ApiCall) => Promise<ApiReply | undefined>,
  ) => ({ method, path, summary, run });
  return [
    row('GET', `The token of ${whose}, without its text`, async (call) => showSole(parts, await ownerOf(call))),
    row('POST', `Make the token of ${whose} anew`, async (call) => renewSole(parts, call, await ownerOf(call))),
    row('DELETE', `End the token of ${whose}`, async (call) => removeSole(parts, await ownerOf(call))),
  ];
}
