import { type RawBuilder, sql } from 'kysely';
import { badRequest, notFound } from '../../../path/jsonapi/error.ts';
import { asksForPage, type Page, pageOf, told } from '../../../path/jsonapi/page.ts';
import { type Resource, toOne } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiCaller, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { isVisible } from '../teams/team.ts';
import type { GrantRow } from './grant.ts';
import type { Kind, Target } from './kinds.ts';

/** The document of a grant. */
export function grantResource(kind: Kind, grant: GrantRow): Resource {
  const { id, team_id } = grant;
  return {
    ...{ id, type: kind.type, attributes: kind.attributes(grant) },
    relationships: {
      team: { ...toOne('teams', team_id), links: { related: `/api/v2/teams/${team_id}` } },
      [kind.relation]: toOne(kind.relatedType, grant[kind.column]),
    },
    links: { self: `/api/v2/${kind.type}/${id}` },
  };
}

/** Grants of teams that the caller may know of. Who decides about them sees them all. */
const isShown = ({ manages, standing }: Target): RawBuilder<unknown> =>
  manages ? sql`true` : sql`g.team_id in (select t.id from ws_teams t where ${isVisible(standing)})`;

/** Of a list that nobody asked to have in pages. */
const wholeMax = 1_000;

/** The teams that were granted something on one workspace or project, which the request has to name. */
export async function listGrants({ store }: WorkspaceParts, call: ApiCall, kind: Kind): Promise<DocumentReply> {
  const name = `filter[${kind.relation}][id]`;
  const id = call.query.get(name);
  if (id === null || id === '') throw badRequest(`param is missing or the value is empty: ${name}`);
  const page: Page = asksForPage(call.query) ? pageOf(call.query) : { number: 1, size: wholeMax, offset: 0 };
  const target = await kind.find(store, call.caller, id);
  mustHave(target.reads);
  const { rows } = await sql<GrantRow & { total: number }>`
    select g.*, (count(*) over ())::int as total from ws_grants g
     where g.${sql.ref(kind.column)} = ${target.id} and ${isShown(target)}
     order by g.created_at, g.id limit ${page.size} offset ${page.offset}`.execute(store.db);
  const total = rows[0]?.total ?? (page.offset === 0 ? 0 : await countGrants(store, kind, target));
  return { data: rows.map((row) => grantResource(kind, row)), page: told(page, total) };
}

/** For a page beyond the end. */
async function countGrants({ db }: Pick<Store, 'db'>, kind: Kind, target: Target): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from ws_grants g where g.${sql.ref(kind.column)} = ${target.id} and ${isShown(target)}`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/** A grant, and what it is on. @throws ApiError 404 */
export async function findGrant(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  kind: Kind,
  id: string,
): Promise<{ readonly grant: GrantRow; readonly target: Target }> {
  const { rows } = await sql<GrantRow & { target_id: string }>`
    select g.*, g.${sql.ref(kind.column)} as target_id from ws_grants g
     where g.id = ${id} and g.${sql.ref(kind.column)} is not null`.execute(store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  const { target_id, ...grant } = row;
  const target = await kind.find(store, caller, target_id);
  mustHave(target.reads);
  if (target.manages) return { grant, target };
  const { rows: shown } = await sql`select 1 from ws_grants g where g.id = ${id} and ${isShown(target)}`.execute(
    store.db,
  );
  mustHave(shown.length > 0);
  return { grant, target };
}
