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

/** Finds the caller behind a bearer token. Undefined: there is none. */
export type FindCaller = (token: Secret, from: ClientConnection) => Promise<ApiCaller | undefined>;

/**
 * Finds the caller behind a bearer token: a user, a team, an organization, the agents of a pool, a run or the service of a run task. A token of
 * the secrets service acts as the user that its entity is bound to, and a root token as the site administrator.
 */
export function callerFinder({ store, gatekeeper }: Pick<WorkspaceParts, 'store' | 'gatekeeper'>): FindCaller {
  const findOwn = ownTokenFinder(store);
  return async (token, from) => {
    if (token.reveal().includes(mark)) return findOwn(hashOf(store, token));
    const caller = await gatekeeper.authenticate(token, from);
    if (typeof caller === 'string') return undefined;
    return ofUser(store, caller);
  };
}

/** Tokens whose kind is remembered. */
const kindsMax = 10_000;

type FindByHash = (store: Store, hash: Buffer) => Promise<ApiCaller | undefined>;

/**
 * Looks a token up in one table after the other, first where it was found last. So one statement finds the token of an agent that asks for work
 * repeatedly. The database is asked each time: only the order is remembered.
 */
function ownTokenFinder(store: Store): (hash: Buffer) => Promise<ApiCaller | undefined> {
  const foundBy = new Map<string, FindByHash>();
  return async (hash) => {
    const key = hash.toString('base64');
    const last = foundBy.get(key);
    for (const find of last === undefined ? kinds : [last, ...kinds.filter((one) => one !== last)]) {
      const caller = await find(store, hash);
      if (caller === undefined) continue;
      foundBy.delete(key);
      foundBy.set(key, find);
      const [oldest = key] = foundBy.size > kindsMax ? foundBy.keys() : [];
      if (oldest !== key) foundBy.delete(oldest);
      return caller;
    }
    foundBy.delete(key);
    return undefined;
  };
}

/** The last use of a token is written at most this often. */
const noticedAgain = sql`interval '1 minute'`;

/** The token of a user, a team or an organization. Finds it and records its use in one statement: among concurrent requests only one writes. */
async function ofHolder({ db }: Store, hash: Buffer): Promise<ApiCaller | undefined> {
  const { rows } = await rowsOf(foundColumns)`
    with found as (
      select t.id, t.user_id, u.username, u.site_admin, t.team_id, m.organization_id as team_organization, t.organization_id,
             t.purpose, t.last_used_at
        from ws_tokens t left join ws_users u on u.id = t.user_id left join ws_teams m on m.id = t.team_id
       where t.hash = ${hash} and (t.expire_at is null or t.expire_at > now()) and u.suspended is not true),
    noticed as (
      update ws_tokens t set last_used_at = now() from found f
       where t.id = f.id and t.last_used_at is not distinct from f.last_used_at
         and (f.last_used_at is null or f.last_used_at < now() - ${noticedAgain}))
    select id, user_id, username, site_admin, team_id, team_organization, organization_id, purpose from found`.execute(
    db,
  );
  const [row] = rows;
  return row && callerOf(row);
}

/** The token of an agent pool, found in the same way. */
async function ofAgents({ db }: Store, hash: Buffer): Promise<ApiCaller | undefined> {
  const { rows } = await rowsOf({ id: text, agent_pool_id: text, organization_id: text })`
    with found as (
      select t.id, t.agent_pool_id, p.organization_id, t.last_used_at
        from ws_agent_tokens t join ws_agent_pools p on p.id = t.agent_pool_id
        join ws_organizations o on o.id = p.organization_id and o.removed_at is null where t.hash = ${hash}),
    noticed as (
      update ws_agent_tokens t set last_used_at = now() from found f
       where t.id = f.id and t.last_used_at is not distinct from f.last_used_at
         and (f.last_used_at is null or f.last_used_at < now() - ${noticedAgain}))
    select id, agent_pool_id, organization_id from found`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { id: tokenId, agent_pool_id: id, organization_id: organizationId } = row;
  return { kind: 'agents', id, organizationId, tokenId, actsIn: new Set() };
}

/**
 * Notes that tokens of agent pools are in use, and returns those that are valid. They are locked in the order of their ids, since two processes may
 * note the same tokens at once.
 */
export async function noticeAgentTokens(
  { db }: Pick<Store, 'db'>,
  ids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await rowsOf({ id: text })`
    with due as (
      select id from ws_agent_tokens
       where id = any(${[...ids]}::text[]) and (last_used_at is null or last_used_at < now() - ${noticedAgain})
       order by id for no key update),
    noticed as (update ws_agent_tokens t set last_used_at = now() from due where t.id = due.id)
    select t.id from ws_agent_tokens t join ws_agent_pools p on p.id = t.agent_pool_id
      join ws_organizations o on o.id = p.organization_id and o.removed_at is null where t.id = any(${[...ids]}::text[])`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

const kinds: readonly FindByHash[] = [
  ofHolder,
  ofAgents,
  ({ db }, hash) => runCallerOf(db, hash),
  ({ db }, hash) => taskCallerOf(db, hash),
];

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
