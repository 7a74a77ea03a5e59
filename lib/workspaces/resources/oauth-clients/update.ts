import { sql } from 'kysely';
import { invalidAttribute, notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { aad } from './create.ts';
import type { ClientChange } from './fields.ts';
import { readClient } from './find.ts';
import { replaceTokens } from './tokens.ts';
import { type ClientRow, clientResource } from './view.ts';

/** Updates the attributes that were sent. A new token text keeps the id of the token. */
export async function updateClient(
  store: Store,
  standing: Standing,
  id: string,
  change: ClientChange,
): Promise<DocumentReply> {
  const client = await readClient(store, id);
  const token = change['oauth-token-string'];
  mustHaveKey(client, change);
  await store.transaction(async (tx) => {
    const { rows } = await sql`
      update ws_oauth_clients set settings = settings || ${JSON.stringify(settingsIn(change))}::jsonb,
             secret = ${columnAfter(store, client.id, 'secret', change.secret)},
             private_key = ${columnAfter(store, client.id, 'private_key', change['private-key'])}
       where id = ${client.id} returning id`.execute(tx);
    if (rows.length === 0) throw notFound();
    if (token) await replaceTokens(tx, store, client.id, token);
  });
  return { data: clientResource(standing, await readClient(store, client.id)) };
}

/** Bitbucket Data Center needs the name of the signing key. @throws ApiError 422 */
function mustHaveKey(client: ClientRow, { key }: ClientChange): void {
  if (key !== '' || client.settings['service-provider'] !== 'bitbucket_data_center') return;
  throw invalidAttribute('key', 'Key must be present: it is the consumer key of Bitbucket Data Center');
}

const secrets = new Set(['secret', 'private-key', 'oauth-token-string']);

const settingsIn = (change: ClientChange) =>
  Object.fromEntries(Object.entries(change).filter(([name]) => !secrets.has(name)));

/** Undefined keeps the column, null empties it. */
function columnAfter({ barrier }: Pick<Store, 'barrier'>, id: string, column: string, text: string | null | undefined) {
  if (text === undefined) return sql.ref(column);
  return text === null ? sql`null` : sql`${barrier.seal(text, aad(id))}::bytea`;
}
