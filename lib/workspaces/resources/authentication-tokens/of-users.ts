import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { SentToken } from './fields.ts';
import { addToken } from './store.ts';
import { tokenResource } from './view.ts';

/** Creates a token of a user. @throws ApiError 404 for a user that does not exist */
export async function createUserToken(
  store: Store,
  userId: string,
  { description, 'expired-at': expireAt = null }: SentToken,
  caller: ApiCaller,
): Promise<DocumentReply> {
  const { row, text } = await store.transaction(async (tx) => {
    const { rows } = await sql`select 1 from ws_users where id = ${userId} for no key update`.execute(tx);
    if (rows.length === 0) throw notFound();
    const owner = { column: 'user_id', id: userId } as const;
    return addToken(store, tx, owner, { description: description ?? '', expireAt, caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}
