import { sql } from 'kysely';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { removeAgentToken, showAgentToken } from '../../organization/agent-pools/tokens.ts';
import { findTeam, teamRights } from '../teams/team.ts';
import { tokensWhere } from './store.ts';
import { type TokenRow, tokenResource } from './view.ts';

/** A token that the caller manages, whoever's it is; undefined for one that may be an agent's. @throws ApiError 404 */
async function findToken({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<TokenRow | undefined> {
  const [row] = await tokensWhere(store.db, sql`t.id = ${parameters['token_id'] ?? ''}`);
  if (row === undefined) return undefined;
  if (row.user_id !== null) mustHave(caller.kind === 'user' && (caller.id === row.user_id || caller.siteAdmin));
  else if (row.team_id !== null) mustHave(teamRights(await findTeam(store, caller, row.team_id)).managesTokens);
  else mustHave((await standingOf(store, caller, sql`${row.organization_id}`)).isOwner);
  return row;
}

export async function showToken(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const row = await findToken(parts, call);
  return row === undefined ? showAgentToken(parts, call) : { data: tokenResource(row) };
}

/** Ends a token, at once in all processes. */
export async function removeToken(parts: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const row = await findToken(parts, call);
  if (row === undefined) return removeAgentToken(parts, call);
  await sql`delete from ws_tokens where id = ${row.id}`.execute(parts.store.db);
}
