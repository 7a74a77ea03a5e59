import { sql } from 'kysely';
import type { Secret } from '#core/secret.ts';
import type { Caller, ClientConnection } from '#path/contract/request.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsTokensTable } from '#store/tables/organizations.ts';
import { runCallerOf } from '../../access/job.ts';
import { taskCallerOf } from '../../access/task.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { hashOf, mark } from './text.ts';

type Row = RowOf<typeof foundColumns>;

const foundColumns = {
  ...pick(wsTokensTable, 'id', 'user_id', 'team_id', 'organization_id'),
  username: nullable(text),
  site_admin: nullable(bool),
  team_organization: nullable(text),
  purpose: nullable(oneOf('audit-trails')),
};

/**
 * The caller behind a bearer token: a user, a team or an organization. A token of the secrets service acts as the user that
 * its entity is bound to, and a root token as the site administrator.
 */
export async function findCaller(
  parts: Pick<WorkspaceParts, 'store' | 'gatekeeper'>,
  token: Secret,
  from: ClientConnection,
): Promise<ApiCaller | undefined> {
  if (token.reveal().includes(mark)) return ofOwnToken(parts.store, token);
  const caller = await parts.gatekeeper.authenticate(token, from);
  if (typeof caller === 'string') return undefined;
  return ofUser(parts.store, caller);
}

/** The last use of a token is written at most this often. */
const noticedAgain = sql`interval '1 minute'`;

/** Finds a token and records its use in one statement. Among concurrent requests only one writes. */
async function ofOwnToken(store: Store, token: Secret): Promise<ApiCaller | undefined> {
  const { rows } = await rowsOf(foundColumns)`
    with found as (
      select t.id, t.user_id, u.username, u.site_admin, t.team_id, m.organization_id as team_organization, t.organization_id,
             t.purpose, t.last_used_at
        from ws_tokens t left join ws_users u on u.id = t.user_id left join ws_teams m on m.id = t.team_id
       where t.hash = ${hashOf(store, token)} and (t.expire_at is null or t.expire_at > now()) and u.suspended is not true),
    noticed as (
      update ws_tokens t set last_used_at = now() from found f
       where t.id = f.id and t.last_used_at is not distinct from f.last_used_at
         and (f.last_used_at is null or f.last_used_at < now() - ${noticedAgain}))
    select id, user_id, username, site_admin, team_id, team_organization, organization_id, purpose from found`.execute(
    store.db,
  );
  const [row] = rows;
  if (row !== undefined) return callerOf(row);
  const hash = hashOf(store, token);
  return (await ofAgents(store, hash)) ?? (await runCallerOf(store.db, hash)) ?? taskCallerOf(store.db, hash);
}

/** The token of an agent pool. */
async function ofAgents({ db }: Store, hash: Buffer): Promise<ApiCaller | undefined> {
  const { rows } = await rowsOf({ id: text, agent_pool_id: text, organization_id: text })`
    with found as (
      select t.id, t.agent_pool_id, p.organization_id, t.last_used_at
        from ws_agent_tokens t join ws_agent_pools p on p.id = t.agent_pool_id
        join ws_organizations o on o.id = p.organization_id and o.removed_at is null where t.hash = ${hash}),
    noticed as (
      update ws_agent_tokens t set last_used_at = now() from found f
       where t.id = f.id and (f.last_used_at is null or f.last_used_at < now() - ${noticedAgain}))
    select id, agent_pool_id, organization_id from found`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id: tokenId, agent_pool_id: id, organization_id: organizationId } = row;
  return { kind: 'agents', id, organizationId, tokenId, actsIn: new Set() };
}

function callerOf(row: Row): ApiCaller | undefined {
  const common = { tokenId: row.id, actsIn: new Set<string>() };
  if (row.user_id !== null)
    return {
      ...common,
      kind: 'user',
      id: row.user_id,
      username: row.username ?? '',
      siteAdmin: row.site_admin === true,
      elsewhere: undefined,
    };
  if (row.team_id !== null)
    return { ...common, kind: 'team', id: row.team_id, organizationId: row.team_organization ?? '' };
  if (row.organization_id === null) return undefined;
  return { ...common, kind: row.purpose === null ? 'organization' : 'audit-trail', id: row.organization_id };
}

async function ofUser({ db }: Store, elsewhere: Caller): Promise<ApiCaller | undefined> {
  const condition = elsewhere.root ? sql`id = 'user-root'` : sql`entity_id = nullif(${elsewhere.entityId}, '')`;
  const { rows } = await rowsOf({ id: text, username: text, site_admin: bool })`
    select id, username, site_admin from ws_users where ${condition} and not suspended`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id, username, site_admin: siteAdmin } = row;
  return { kind: 'user', id, username, siteAdmin, tokenId: undefined, elsewhere, actsIn: new Set() };
}
