import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { tokenFields } from './fields.ts';
import { addToken, ofOwner, type TokenOwner, tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** A user has tokens made by itself, and by administrators of the site. @throws ApiError 404 */
function ownerIn({ caller, parameters }: ApiCall): TokenOwner {
  const { user_id: id = '' } = parameters;
  mustHave(caller.kind === 'user' && (caller.id === id || caller.siteAdmin));
  return { column: 'user_id', id };
}

export async function createUserToken({ store, clock }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const owner = ownerIn(call);
  const sent = attributesOf(call, undefined, tokenFields(clock));
  const { row, text } = await store.transaction(async (tx) => {
    const { rows } = await sql`select 1 from ws_users where id = ${owner.id} for no key update`.execute(tx);
    if (rows.length === 0) throw notFound();
    const { description = '', 'expired-at': expireAt = null } = sent;
    return addToken(store, tx, owner, { description: description ?? '', expireAt, caller: call.caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}

export async function listUserTokens({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const rows = await tokensWhere(store.db, ofOwner(ownerIn(call)));
  return { data: rows.map((row) => tokenResource(row)) };
}
