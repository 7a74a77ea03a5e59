import { sql, type Transaction } from 'kysely';
import { isJsonObject, type Json } from '#core/json/json.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { commentsMax } from '../run-lifecycle/store.ts';
import { addEvent } from '../run-lifecycle/transition.ts';

export const commentCharactersMax = 8_192;

/** The comment sent with an action on a run, as `{"comment": "…"}`. @throws ApiError 422 */
export function commentIn(body: Json | undefined): string | undefined {
  const comment = isJsonObject(body ?? null) ? Object(body)['comment'] : undefined;
  if (comment === undefined || comment === null || comment === '') return undefined;
  if (typeof comment !== 'string' || comment.length > commentCharactersMax)
    throw invalidAttribute('comment', `Comment must be a string of at most ${commentCharactersMax} characters`);
  return comment;
}

/** Adds a comment to a run and returns its id. The caller holds the lock on the workspace row. @throws ApiError 422 when the run has too many */
export async function addComment(
  tx: Transaction<Database>,
  runId: string,
  body: string,
  caller: ApiCaller,
): Promise<string> {
  const { rows } = await sql`
    select 1 from ws_run_comments where run_id = ${runId} offset ${commentsMax - 1} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`A run may have at most ${commentsMax} comments.`);
  const id = newId('wsc');
  const eventId = await addEvent(tx, runId, 'commented', caller);
  await sql`
    insert into ws_run_comments (id, run_id, event_id, body) values (${id}, ${runId}, ${eventId}, ${body})`.execute(tx);
  return id;
}
