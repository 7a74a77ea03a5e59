import { sql, type Transaction } from 'kysely';
import type { Store } from '../../../../store/store.ts';
import type { Database } from '../../../../store/tables.ts';
import { newId } from '../../../frame/ids.ts';

type Sealing = Pick<Store, 'barrier'>;

/** To what a sealed secret of a token is bound. */
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

/** Gives the tokens of a client another text; a client without one gets one. The client has to be locked. */
export async function replaceTokens(
  tx: Transaction<Database>,
  store: Sealing,
  clientId: string,
  text: string,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from ws_oauth_tokens where client_id = ${clientId} for update`.execute(tx);
  if (rows.length === 0) return addToken(tx, store, clientId, text);
  const ids = rows.map(({ id }) => id);
  const sealed = ids.map((id) => store.barrier.seal(text, aad(id)).toString('hex'));
  await sql`
    update ws_oauth_tokens t set secret = decode(n.secret, 'hex')
      from unnest(${ids}::text[], ${sealed}::text[]) n (id, secret) where t.id = n.id`.execute(tx);
}
