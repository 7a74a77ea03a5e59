import { type RawBuilder, sql } from 'kysely';
import type { Secret } from '../../../core/secret.ts';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import { type Resource, timeText, toOne } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { hashOf } from '../../people/tokens/find.ts';
import { newTokenText } from '../../people/tokens/mint.ts';
import { agentTokenFields } from './fields.ts';
import { findPool } from './find.ts';

interface TokenRow {
  readonly id: string;
  readonly agent_pool_id: string;
  readonly description: string;
  readonly created_by: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** Of one pool. */
const tokensMax = 100;
const columns: RawBuilder<unknown> = sql`id, agent_pool_id, description, created_by, created_at, last_used_at`;

/** `text`: the token itself, which is shown once. */
const tokenResource = (row: TokenRow, text?: Secret): Resource => ({
  ...{ id: row.id, type: 'authentication-tokens' },
  attributes: {
    'created-at': timeText(row.created_at),
    'last-used-at': timeText(row.last_used_at),
    description: row.description,
    token: text === undefined ? null : text.reveal(),
  },
  relationships: {
    'agent-pool': toOne('agent-pools', row.agent_pool_id),
    'created-by': toOne('users', row.created_by),
  },
  links: { self: `/api/v2/authentication-tokens/${row.id}` },
});

async function managedPool({ store }: WorkspaceParts, call: ApiCall): Promise<string> {
  const { pool, mayManage } = await findPool(store, call);
  mustHave(mayManage);
  return pool.id;
}

export async function listAgentTokens(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const { rows } = await sql<TokenRow>`
    select ${columns} from ws_agent_tokens where agent_pool_id = ${await managedPool(parts, call)}
     order by created_at, id`.execute(parts.store.db);
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => tokenResource(row)), page: told(page, rows.length) };
}

export async function createAgentToken(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const poolId = await managedPool(parts, call);
  // Clients send `agent-tokens` or `authentication-tokens`.
  const { description } = attributesOf(call, undefined, agentTokenFields);
  if (description === undefined) throw invalidAttribute('description', "Description can't be blank");
  const text = newTokenText();
  const creator = call.caller.kind === 'user' ? call.caller.id : null;
  const made = sql<TokenRow>`
    insert into ws_agent_tokens (id, agent_pool_id, hash, description, created_by)
    select ${newId('at')}, ${poolId}, ${hashOf(parts.store, text)}, ${description}, ${creator}
     where (select count(*) from ws_agent_tokens where agent_pool_id = ${poolId}) < ${tokensMax}
    returning ${columns}`;
  const { rows } = await withRefusals({}, () => made.execute(parts.store.db));
  const [row] = rows;
  if (row === undefined) throw unprocessable(`An agent pool may have at most ${tokensMax} tokens`);
  return { status: 201, data: tokenResource(row, text) };
}

/** The token that a path names by `token_id` alone or with its pool. */
export async function showAgentToken(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  return { data: tokenResource(await findToken(parts, call)) };
}

/** The same for its end. */
export async function removeAgentToken(parts: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { id } = await findToken(parts, call);
  await sql`delete from ws_agent_tokens where id = ${id}`.execute(parts.store.db);
}

async function findToken({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<TokenRow> {
  const { token_id: id = '', agent_pool_id: poolId = null } = parameters;
  const organization = sql`(select p.organization_id from ws_agent_tokens t join ws_agent_pools p on p.id = t.agent_pool_id
                             where t.id = ${id} and (${poolId}::text is null or p.id = ${poolId}))`;
  const standing = await standingOf(store, caller, organization);
  mustHave(standing.may('manage-agent-pools'));
  const { rows } = await sql<TokenRow>`select ${columns} from ws_agent_tokens where id = ${id}`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
