import { sql, type Transaction } from 'kysely';
import { isJsonObject } from '../../../../core/json.ts';
import { invalidAttribute, unprocessable } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, ApiCaller } from '../../../../path/jsonapi/row.ts';
import type { Database } from '../../../../store/tables.ts';
import { newId } from '../../../frame/ids.ts';
import { commentsMax } from '../store.ts';
import { addEvent } from '../transition.ts';

export const commentCharactersMax = 8_192;

/** What a client says beside an action on a run, as `{"comment": "…"}`. @throws ApiError 422 */
export function commentIn({ body }: Pick<ApiCall, 'body'>): string | undefined {
  const comment = isJsonObject(body ?? null) ? Object(body)['comment'] : undefined;
  if (comment === undefined || comment === null || comment === '') return undefined;
  if (typeof comment !== 'string' || comment.length > commentCharactersMax)
    throw invalidAttribute('comment', `Comment must be a string of at most ${commentCharactersMax} characters`);
  return comment;
}

/** Adds a comment to a run whose workspace is held. Answers its id. @throws ApiError 422 for more than a run may have */
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
