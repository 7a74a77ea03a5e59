import { sql, type Transaction } from 'kysely';
import { pick } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsOauthTokensTable } from '#store/tables/connections.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';

type Sealing = Pick<Store, 'barrier'>;

/** Additional authenticated data for the encrypted secrets of a token. */
export const aad = (id: string): string => `ws_oauth_tokens/${id}`;

export async function addToken(
  tx: Transaction<Database>,
  { barrier }: Sealing,
  clientId: string,
  text: string,
): Promise<void> {
  const id = newId('ot');
  await sql`
    insert into ws_oauth_tokens (id, client_id, secret) values (${id}, ${clientId}, ${barrier.seal(text, aad(id))})`.execute(
    tx,
  );
}

/** Replaces the text of the tokens of a client, or creates a token if the client has none. The caller must have locked the client. */
export async function replaceTokens(
  tx: Transaction<Database>,
  store: Sealing,
  clientId: string,
  text: string,
): Promise<void> {
  const { rows } = await rowsOf(pick(wsOauthTokensTable, 'id'))`
    select id from ws_oauth_tokens where client_id = ${clientId} for update`.execute(tx);
  if (rows.length === 0) return addToken(tx, store, clientId, text);
  const ids = rows.map(({ id }) => id);
  const sealed = ids.map((id) => store.barrier.seal(text, aad(id)).toString('hex'));
  await sql`
    update ws_oauth_tokens t set secret = decode(n.secret, 'hex')
      from unnest(${ids}::text[], ${sealed}::text[]) n (id, secret) where t.id = n.id`.execute(tx);
}
