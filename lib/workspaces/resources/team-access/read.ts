import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { type Resource, toOne } from '#path/jsonapi/resource.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isTeamVisible } from '../../access/team.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type GrantRow, grantColumns } from './grant.ts';
import type { Kind, Target } from './kinds.ts';

/** The document of a grant. */
export function grantResource(kind: Kind, grant: GrantRow): Resource {
  const { id, team_id } = grant;
  return {
    id,
    type: kind.type,
    attributes: kind.attributes(grant),
    relationships: {
      team: { ...toOne('teams', team_id), links: { related: `/api/v2/teams/${team_id}` } },
      [kind.relation]: toOne(kind.relatedType, grant[kind.column]),
    },
    links: { self: `/api/v2/${kind.type}/${id}` },
  };
}

/** The condition for grants of teams visible to the caller. Callers who may change grants see all of them. */
const isShown = ({ manages, standing }: Target): RawBuilder<unknown> =>
  manages ? sql`true` : sql`g.team_id in (select t.id from ws_teams t where ${isTeamVisible(standing)})`;

/** Entries of a list that was requested without a page. */
const wholeMax = 1_000;

/** The grants on a workspace or a project, of teams visible to the caller. `page` undefined: all of them. */
export async function listGrants(
  { store }: WorkspaceParts,
  kind: Kind,
  target: Target,
  page: Page = { number: 1, size: wholeMax, offset: 0 },
): Promise<DocumentReply> {
  const { rows } = await rowsOf({ ...grantColumns, total: int })`
    select g.*, (count(*) over ())::int as total from ws_grants g
     where g.${sql.ref(kind.column)} = ${target.id} and ${isShown(target)}
     order by g.created_at, g.id limit ${page.size} offset ${page.offset}`.execute(store.db);
  const total = rows[0]?.total ?? (page.offset === 0 ? 0 : await countGrants(store, kind, target));
  return { data: rows.map((row) => grantResource(kind, row)), page: pageInfo(page, total) };
}

/** Needed for a page beyond the end. */
async function countGrants({ db }: Pick<Store, 'db'>, kind: Kind, target: Target): Promise<number> {
  const { rows } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_grants g where g.${sql.ref(kind.column)} = ${target.id} and ${isShown(target)}`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/** A grant of a team visible to the caller. @throws ApiError 404 */
export async function readGrant({ db }: Pick<Store, 'db'>, id: string, target: Target): Promise<GrantRow> {
  const { rows } = await rowsOf(grantColumns)`
    select g.* from ws_grants g where g.id = ${id} and ${isShown(target)}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}
