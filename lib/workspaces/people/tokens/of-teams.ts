import { type RawBuilder, sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { badRequest, invalidAttribute } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { likePattern } from '../../frame/like.ts';
import { findTeam, isVisible, teamRights } from '../teams/team.ts';
import { tokenFields } from './fields.ts';
import { addToken, ofOwner, oldestFirst, type TokenOwner, tokensWhere } from './store.ts';
import { tokenResource } from './view.ts';

/** The team whose tokens the request is about, and that the caller may make some for. @throws ApiError 404 */
export async function teamIn(
  parts: WorkspaceParts,
  call: ApiCall,
): Promise<TokenOwner & { readonly column: 'team_id' }> {
  const found = await findTeam(parts.store, call.caller, call.parameters['team_id'] ?? '');
  mustHave(teamRights(found).managesTokens);
  return { column: 'team_id', id: found.team.id };
}

/** Makes one of several tokens of a team: their descriptions differ. */
export async function createTeamToken(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { store } = parts;
  const owner = await teamIn(parts, call);
  const { description, 'expired-at': expireAt = null } = attributesOf(call, undefined, tokenFields(parts.clock));
  if (description === undefined || description === null || description === '')
    throw invalidAttribute('description', "Description can't be blank");
  const { row, text } = await store.transaction(async (tx) => {
    await sql`select 1 from ws_teams where id = ${owner.id} for no key update`.execute(tx);
    const [other] = await tokensWhere(tx, sql`${ofOwner(owner)} and t.description = ${description}`);
    if (other !== undefined) throw invalidAttribute('description', 'Description has already been taken');
    return addToken(store, tx, owner, { description, expireAt, caller: call.caller });
  });
  return { status: 201, data: tokenResource(row, text) };
}

export async function listTeamTokens(parts: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const rows = await tokensWhere(parts.store.db, ofOwner(await teamIn(parts, call)));
  return { data: rows.map((row) => tokenResource(row)) };
}

/** The tokens of all teams of an organization that the caller manages. */
export async function listOrganizationTeamTokens({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const page = pageOf(call.query);
  const standing = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(standing.may('manage-teams'));
  const notOfOwners = standing.isOwner ? sql`true` : sql`not m.owners`;
  const condition = sql`t.team_id in (select m.id from ws_teams m
    where m.organization_id = ${standing.organization.id} and ${notOfOwners}
      and m.name ilike ${likePattern(call.query.get('q'))}
      and m.id in (select t.id from ws_teams t where t.organization_id = ${standing.organization.id} and ${isVisible(standing)}))`;
  const rows = await tokensWhere(store.db, condition, page, orderOf(call.query));
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from ws_tokens t where ${condition}`.execute(store.db);
  return { data: rows.map((row) => tokenResource(row)), page: told(page, counted[0]?.total ?? 0) };
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

/** @throws ApiError 400 for an order that there is not */
function orderOf(query: URLSearchParams): RawBuilder<unknown> {
  const order = orders.get(query.get('sort') ?? '');
  if (order !== undefined) return order;
  throw badRequest(`sort may be ${[...orders.keys()].slice(1).join(', ')}`);
}
