import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool } from '#store/sql/kinds.ts';
import { pageRowsOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsOauthTokensTable } from '#store/tables/connections.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { aad } from '../oauth-clients/tokens.ts';

type TokenRow = RowOf<typeof tokenColumns>;

const tokenColumns = {
  ...pick(wsOauthTokensTable, 'id', 'client_id', 'service_provider_user', 'created_at'),
  has_ssh_key: bool,
};

/** Tokens for access to repositories. Their texts are never returned. */
export const oauthTokenRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/organizations/:organization_name/oauth-tokens',
    summary: 'List the OAuth tokens of an organization',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: ['oauth-tokens'] },
    run: ({ found, query }) => listTokens(store, query.page, sql`c.organization_id = ${found.organization.id}`),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/oauth-clients/:oauth_client_id/oauth-tokens',
    summary: 'List the OAuth tokens of a client',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: ['oauth-tokens'] },
    run: ({ parameters, query }) => listTokens(store, query.page, sql`c.id = ${parameters.oauth_client_id}`),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read the metadata of an OAuth token',
    needs: { organization: 'member' },
    replies: { 200: 'oauth-tokens' },
    async run({ parameters }) {
      const { rows } = await rowsOf(tokenColumns)`
        select ${columns} from ws_oauth_tokens t where t.id = ${parameters.oauth_token_id}`.execute(store.db);
      return tokenReply(rows);
    },
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update the SSH key of an OAuth token',
    needs: { organization: 'manage-vcs-settings' },
    body: document({ type: 'oauth-tokens', attributes: fields }),
    replies: { 200: 'oauth-tokens' },
    run: ({ parameters, body }) => updateToken(store, parameters.oauth_token_id, body.attributes['ssh-key']),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete an OAuth token',
    needs: { organization: 'manage-vcs-settings' },
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_oauth_tokens where id = ${parameters.oauth_token_id}`.execute(store.db);
      return undefined;
    },
  }),
];

const one = '/api/v2/oauth-tokens/:oauth_token_id';
const fields = { 'ssh-key': text(16_384).nullable() };

const columns = sql`t.id, t.client_id, t.service_provider_user, t.ssh_key is not null as has_ssh_key, t.created_at`;

const tokenResource = (row: TokenRow): Resource => ({
  id: row.id,
  type: 'oauth-tokens',
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

/** A page of the tokens `t` of clients `c` in the order of their creation. */
async function listTokens({ db }: Store, page: Page, condition: RawBuilder<unknown>): Promise<DocumentReply> {
  const matching = sql`from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id where ${condition}`;
  const { rows } = await pageRowsOf(tokenColumns)`
    select a.total, t.* from (select count(*)::integer as total ${matching}) a
      left join (select ${columns} ${matching} order by t.created_at, t.id limit ${page.size} offset ${page.offset}) t on true
     order by t.created_at, t.id`.execute(db);
  const data = rows.flatMap((row) => (row.id === null ? [] : [tokenResource(row)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}

function tokenReply([row]: readonly TokenRow[]): DocumentReply {
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}

/** Null or an empty string removes the SSH key. */
async function updateToken(store: Store, id: string, key: string | null | undefined): Promise<DocumentReply> {
  const sealed = key === undefined || key === null || key === '' ? null : store.barrier.seal(key, aad(id));
  const { rows } = await rowsOf(tokenColumns)`
    update ws_oauth_tokens t set ssh_key = case when ${key !== undefined}::boolean then ${sealed}::bytea else t.ssh_key end
     where t.id = ${id} returning ${columns}`.execute(store.db);
  return tokenReply(rows);
}
