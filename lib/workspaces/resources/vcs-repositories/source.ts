import { bytea, jsonOf, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { aad } from '../oauth-clients/tokens.ts';
import { type ClientSettings, clientSettings } from '../oauth-clients/view.ts';

/** Where repositories are, and what opens them. */
export interface Source {
  readonly clientId: string;
  readonly client: ClientSettings;
  /** The text of the OAuth token. */
  readonly token: string | undefined;
  readonly sshKey: string | undefined;
}

const columns = {
  id: text,
  client_id: text,
  client: jsonOf(clientSettings),
  secret: nullable(bytea),
  ssh_key: nullable(bytea),
};

/** The source behind an OAuth token of an organization; undefined when it has no such token. */
export async function sourceOf(
  { db, barrier }: Pick<Store, 'db' | 'barrier'>,
  organizationId: string,
  tokenId: string,
): Promise<Source | undefined> {
  const { rows } = await rowsOf(columns)`
    select t.id, t.client_id, c.settings as client, t.secret, t.ssh_key
      from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id
     where t.id = ${tokenId} and c.organization_id = ${organizationId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const opened = (sealed: Buffer | null) =>
    sealed === null ? undefined : barrier.open(sealed, aad(row.id)).toString();
  return { clientId: row.client_id, client: row.client, token: opened(row.secret), sshKey: opened(row.ssh_key) };
}
