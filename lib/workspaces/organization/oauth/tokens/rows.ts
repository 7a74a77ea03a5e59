import { type RawBuilder, sql } from 'kysely';
import { attributesOf } from '../../../../path/jsonapi/body.ts';
import { notFound } from '../../../../path/jsonapi/error.ts';
import { text } from '../../../../path/jsonapi/fields.ts';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '../../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import { type Standing, standingIn, standingOf } from '../../../access/standing.ts';
import { mustHave } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { findClient } from '../clients/find.ts';
import { aad } from './write.ts';

interface TokenRow {
  readonly id: string;
  readonly client_id: string;
  readonly service_provider_user: string | null;
  readonly has_ssh_key: boolean;
  readonly created_at: Date;
}

/** Tokens with which repositories are reached. Their texts are only written. */
export const oauthTokenRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  return [
    {
      method: 'GET',
      path: '/api/v2/organizations/:organization_name/oauth-tokens',
      summary: 'OAuth tokens of an organization',
      async run(call) {
        const { organization } = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
        return listed(store, call, sql`c.organization_id = ${organization.id}`);
      },
    },
    {
      method: 'GET',
      path: '/api/v2/oauth-clients/:oauth_client_id/oauth-tokens',
      summary: 'OAuth tokens of a client',
      async run(call) {
        const { client } = await findClient(store, call);
        return listed(store, call, sql`c.id = ${client.id}`);
      },
    },
    {
      method: 'GET',
      path: one,
      summary: 'An OAuth token, without its text',
      run: async (call) => ({ data: tokenResource((await findToken(store, call)).token) }),
    },
    {
      method: 'PATCH',
      path: one,
      summary: 'Give an OAuth token an SSH key',
      run: (call) => updateToken(store, call),
    },
    {
      method: 'DELETE',
      path: one,
      summary: 'Remove an OAuth token',
      async run(call) {
        const { token } = await managedToken(store, call);
        await sql`delete from ws_oauth_tokens where id = ${token.id}`.execute(store.db);
        return undefined;
      },
    },
  ];
};

const one = '/api/v2/oauth-tokens/:oauth_token_id';
const fields = { 'ssh-key': text(16_384).nullable() };

const columns = sql`t.id, t.client_id, t.service_provider_user, t.ssh_key is not null as has_ssh_key, t.created_at`;

const tokenResource = (row: TokenRow): Resource => ({
  ...{ id: row.id, type: 'oauth-tokens' },
  attributes: {
    'created-at': timeText(row.created_at),
    'service-provider-user': row.service_provider_user,
    'has-ssh-key': row.has_ssh_key,
  },
  relationships: {
    'oauth-client': {
      ...toOne('oauth-clients', row.client_id),
      links: { related: `/api/v2/oauth-clients/${row.client_id}` },
    },
  },
  links: { self: `/api/v2/oauth-tokens/${row.id}` },
});

/** A page of the tokens `t` of clients `c`, in the order in which they were made. */
async function listed({ db }: Store, { query }: ApiCall, condition: RawBuilder<unknown>): Promise<ApiReply> {
  const page = pageOf(query);
  const matching = sql`from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id where ${condition}`;
  const { rows } = await sql<TokenRow & { readonly total: number }>`
    select a.total, t.* from (select count(*)::integer as total ${matching}) a
      left join (select ${columns} ${matching} order by t.created_at, t.id limit ${page.size} offset ${page.offset}) t on true
     order by t.created_at, t.id`.execute(db);
  const shown = rows.filter(({ id }) => id !== null);
  return { data: shown.map(tokenResource), page: told(page, rows[0]?.total ?? 0) };
}

async function findToken(
  store: Store,
  { caller, parameters }: ApiCall,
): Promise<{ readonly token: TokenRow; readonly standing: Standing }> {
  const id = parameters['oauth_token_id'] ?? '';
  const organization = sql`(select c.organization_id from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id
                             where t.id = ${id})`;
  const standing = await standingOf(store, caller, organization);
  const { rows } = await sql<TokenRow>`select ${columns} from ws_oauth_tokens t where t.id = ${id}`.execute(store.db);
  const [token] = rows;
  if (token === undefined) throw notFound();
  return { token, standing };
}

async function managedToken(store: Store, call: ApiCall) {
  const found = await findToken(store, call);
  mustHave(found.standing.may('manage-vcs-settings'));
  return found;
}

/** An SSH key of null or of no text takes the key away. */
async function updateToken(store: Store, call: ApiCall): Promise<ApiReply> {
  const { token } = await managedToken(store, call);
  const { 'ssh-key': key } = attributesOf(call, 'oauth-tokens', fields);
  const sealed = key === undefined || key === null || key === '' ? null : store.barrier.seal(key, aad(token.id));
  const { rows } = await sql<TokenRow>`
    update ws_oauth_tokens t set ssh_key = case when ${key !== undefined}::boolean then ${sealed}::bytea else t.ssh_key end
     where t.id = ${token.id} returning ${columns}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}
