import { sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { findTeam, teamRights } from '../teams/team.ts';
import { tokensWhere } from './store.ts';
import { type TokenRow, tokenResource } from './view.ts';

/** A token that the caller manages, whoever's it is. @throws ApiError 404 */
async function findToken({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<TokenRow> {
  const [row] = await tokensWhere(store.db, sql`t.id = ${parameters['token_id'] ?? ''}`);
  if (row === undefined) throw notFound();
  if (row.user_id !== null) mustHave(caller.kind === 'user' && (caller.id === row.user_id || caller.siteAdmin));
  else if (row.team_id !== null) mustHave(teamRights(await findTeam(store, caller, row.team_id)).managesTokens);
  else mustHave((await standingOf(store, caller, sql`${row.organization_id}`)).isOwner);
  return row;
}

export const showToken = async (parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> => ({
  data: tokenResource(await findToken(parts, call)),
});

/** Ends a token, at once in all processes. */
export async function removeToken(parts: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { id } = await findToken(parts, call);
  await sql`delete from ws_tokens where id = ${id}`.execute(parts.store.db);
}
