import { type RawBuilder, sql } from 'kysely';
import type { Secret } from '#core/secret.ts';
import { invalidAttribute, notFound, unprocessable } from '#path/jsonapi/error.ts';
import { notBlank, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import { type Resource, timeText, toOne } from '#path/jsonapi/resource.ts';
import type { ApiCaller, ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsAgentTokensTable } from '#store/tables/connections.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { hashOf, newTokenText } from './text.ts';

type TokenRow = RowOf<typeof tokenColumns>;

const tokenColumns = pick(
  wsAgentTokensTable,
  'id',
  'agent_pool_id',
  'description',
  'created_by',
  'created_at',
  'last_used_at',
);

const fields = { description: text(255).trim().min(1, notBlank) };

/** Tokens of one pool. */
const tokensMax = 100;
const columns: RawBuilder<unknown> = sql`id, agent_pool_id, description, created_by, created_at, last_used_at`;

/** The document of a token. `secret` is the token itself, which is shown once. */
const tokenResource = (row: TokenRow, secret?: Secret): Resource => ({
  id: row.id,
  type: 'authentication-tokens',
  attributes: {
    'created-at': timeText(row.created_at),
    'last-used-at': timeText(row.last_used_at),
    description: row.description,
    token: secret === undefined ? null : secret.reveal(),
  },
  relationships: {
    'agent-pool': toOne('agent-pools', row.agent_pool_id),
    'created-by': toOne('users', row.created_by),
  },
  links: { self: `/api/v2/authentication-tokens/${row.id}` },
});

const all = '/api/v2/agent-pools/:agent_pool_id/authentication-tokens';
const one = `${all}/:token_id` as const;
const needs = { organization: 'manage-agent-pools' } as const;

/** Tokens of agent pools. */
export const agentTokenRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the tokens of an agent pool',
    needs,
    query: { page: paged() },
    replies: { 200: ['authentication-tokens'] },
    run: ({ parameters, query }) => listAgentTokens(store, parameters.agent_pool_id, query.page),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create a token of an agent pool',
    needs,
    // Clients send `agent-tokens` or `authentication-tokens`.
    body: document({ attributes: fields }),
    replies: { 201: 'authentication-tokens' },
    run: ({ caller, parameters, body }) =>
      createAgentToken(store, parameters.agent_pool_id, body.attributes.description, caller),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a token of an agent pool without its text',
    needs,
    replies: { 200: 'authentication-tokens' },
    run: ({ parameters }) => showAgentToken(store, named(parameters)),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a token of an agent pool',
    needs,
    replies: { 204: null },
    run: ({ parameters }) => removeAgentToken(store, named(parameters)),
  }),
];

/** A token by its id, of one pool if the path names the pool. */
interface AgentTokenName {
  readonly id: string;
  readonly poolId?: string;
}

const named = (parameters: { readonly agent_pool_id: string; readonly token_id: string }): AgentTokenName => ({
  id: parameters.token_id,
  poolId: parameters.agent_pool_id,
});

async function listAgentTokens({ db }: Store, poolId: string, page: Page): Promise<DocumentReply> {
  const { rows } = await rowsOf(tokenColumns)`
    select ${columns} from ws_agent_tokens where agent_pool_id = ${poolId} order by created_at, id`.execute(db);
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => tokenResource(row)), page: pageInfo(page, rows.length) };
}

async function createAgentToken(
  store: Store,
  poolId: string,
  description: string | undefined,
  { kind, id: callerId }: ApiCaller,
): Promise<DocumentReply> {
  if (description === undefined) throw invalidAttribute('description', "Description can't be blank");
  const secret = newTokenText();
  const creator = kind === 'user' ? callerId : null;
  const made = rowsOf(tokenColumns)`
    insert into ws_agent_tokens (id, agent_pool_id, hash, description, created_by)
    select ${newId('at')}, ${poolId}, ${hashOf(store, secret)}, ${description}, ${creator}
     where (select count(*) from ws_agent_tokens where agent_pool_id = ${poolId}) < ${tokensMax}
    returning ${columns}`;
  const { rows } = await withRefusals({}, () => made.execute(store.db));
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An agent pool may have at most ${tokensMax} tokens`);
  return { status: 201, data: tokenResource(row, secret) };
}

/** @throws ApiError 404 */
export async function showAgentToken({ db }: Store, name: AgentTokenName): Promise<DocumentReply> {
  const { rows } = await rowsOf(tokenColumns)`select ${columns} from ws_agent_tokens where ${isNamed(name)}`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw notFound();
  return { data: tokenResource(row) };
}

/** @throws ApiError 404 */
export async function removeAgentToken({ db }: Store, name: AgentTokenName): Promise<undefined> {
  const { rows } = await sql`delete from ws_agent_tokens where ${isNamed(name)} returning 1`.execute(db);
  if (rows.length === 0) throw notFound();
}

const isNamed = ({ id, poolId }: AgentTokenName): RawBuilder<unknown> =>
  poolId === undefined ? sql`id = ${id}` : sql`id = ${id} and agent_pool_id = ${poolId}`;
