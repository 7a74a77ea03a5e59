import { type RawBuilder, sql } from 'kysely';
import { badRequest, invalidAttribute } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import type { ApiCaller, DocumentReply } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Standing } from '../../access/standing.ts';
import { isTeamVisible } from '../../access/team.ts';
import { likePattern } from '../../frame/like.ts';
import type { SentToken } from './fields.ts';
import { addToken, ofOwner, oldestFirst, tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** Creates one of several tokens of a team, which differ in their descriptions. */
export async function createTeamToken(
  store: Store,
  teamId: string,
  { description, 'expired-at': expireAt = null }: SentToken,
  caller: ApiCaller,
): Promise<DocumentReply> {
  if (description === undefined || description === null || description === '')
    throw invalidAttribute('description', "Description can't be blank");
  const owner = { column: 'team_id', id: teamId } as const;
  const { row, text } = await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${teamId} for no key update`.execute(tx);
    const [other] = await tokensWhere(tx, sql`${ofOwner(owner)} and t.description = ${description}`);
    if (other !== undefined) throw invalidAttribute('description', 'Description has already been taken');
    return addToken(store, tx, owner, { description, expireAt, caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}

interface TeamTokenQuery {
  readonly page: Page;
  /** A part of the name of the team. */
  readonly q: string | null;
  readonly order: RawBuilder<unknown>;
}

/** The tokens of all teams of an organization that the caller manages. */
export async function listOrganizationTeamTokens(
  { db }: Store,
  standing: Standing,
  { page, q, order }: TeamTokenQuery,
): Promise<DocumentReply> {
  const notOfOwners = standing.isOwner ? sql`true` : sql`not m.owners`;
  const condition = sql`t.team_id in (select m.id from ws_teams m
    where m.organization_id = ${standing.organization.id} and ${notOfOwners}
      and m.name ilike ${likePattern(q)}
      and m.id in (select t.id from ws_teams t where t.organization_id = ${standing.organization.id} and ${isTeamVisible(standing)}))`;
  const rows = await tokensWhere(db, condition, page, order);
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_tokens t where ${condition}`.execute(db);
  return { data: rows.map((row) => tokenResource(row)), page: pageInfo(page, counted[0]?.total ?? 0) };
}

const orders: ReadonlyMap<string, RawBuilder<unknown>> = new Map([
  ['', oldestFirst],
  ['created-at', oldestFirst],
  ['-created-at', sql`t.created_at desc, t.id`],
  ['expired-at', sql`t.expire_at nulls last, t.id`],
  ['-expired-at', sql`t.expire_at desc nulls last, t.id`],
  ['last-used-at', sql`t.last_used_at nulls last, t.id`],
  ['-last-used-at', sql`t.last_used_at desc nulls last, t.id`],
]);

/** @throws ApiError 400 for an unknown order */
export function orderOf(query: URLSearchParams): RawBuilder<unknown> {
  const order = orders.get(query.get('sort') ?? '');
  if (order !== undefined) return order;
  throw badRequest(`sort may be ${[...orders.keys()].slice(1).join(', ')}`);
}
