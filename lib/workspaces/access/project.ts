import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsProjectsTable } from '#store/tables/organizations.ts';
import { executionMode, organizationAccessById, type Standing } from './standing.ts';

/** A stored project. */
export type ProjectRow = RowOf<typeof projectColumns>;

export const projectColumns = { ...wsProjectsTable, default_execution_mode: nullable(executionMode) };

/** The rights of a caller on a project itself. The rights on its workspaces are in `Levels`. */
export interface ProjectLevels {
  readonly reads: boolean;
  readonly updates: boolean;
  readonly removes: boolean;
  readonly createsWorkspaces: boolean;
  /** To the project and from it. */
  readonly movesWorkspaces: boolean;
  /** The right on the team access to the project: 0 none, 1 read, 2 manage. */
  readonly teams: number;
}

/** A project that the caller may read, with the caller's rights on it. */
export interface FoundProject {
  readonly project: ProjectRow;
  readonly standing: Standing;
  readonly levels: ProjectLevels;
}

/** A project with the grants on it; null without a grant. */
export type GrantedProjectRow = RowOf<typeof grantedProjectColumns>;

export const grantedProjectColumns = {
  ...projectColumns,
  granted_settings: nullable(int),
  granted_teams: nullable(int),
  granted_creates: nullable(bool),
  granted_moves: nullable(bool),
  /** A grant on a workspace in the project exists. */
  granted_inside: bool,
};

/**
 * A project by its id or a query for one, in two statements.
 *
 * @throws ApiError 404 when it does not exist or the caller may not read it
 */
export async function findProject(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  id: string | RawBuilder<unknown>,
): Promise<FoundProject> {
  const standing = await organizationAccessById(
    store,
    caller,
    sql`(select organization_id from ws_projects where id = ${id})`,
  );
  const { rows } = await rowsOf(grantedProjectColumns)`
    select p.*, ${projectGrantColumns(standing)} from ws_projects p ${projectGrants(standing)}
     where p.id = ${id}`.execute(store.db);
  const [row] = rows;
  const levels = row && projectLevels(standing, row);
  if (row === undefined || levels?.reads !== true) throw notFound();
  return { project: row, standing, levels };
}

/** Joins the grants of the caller's teams on the project `p`, as `g`. The largest of several grants counts. */
export const projectGrants = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  left join lateral (
    select max(case settings->>'project-settings' when 'delete' then 3 when 'update' then 2 else 1 end) as settings,
           max(case settings->>'project-teams' when 'manage' then 2 when 'read' then 1 else 0 end) as teams,
           bool_or(creates) as creates, bool_or(moves) as moves
      from ws_grants where team_id = any(${teamIds}::text[]) and project_id = p.id
  ) g on true`;

/** Columns of that join, and whether the caller may read a workspace in the project. */
export const projectGrantColumns = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  g.settings as granted_settings, g.teams as granted_teams, g.creates as granted_creates, g.moves as granted_moves,
  ${grantedInside(teamIds)} as granted_inside`;

const grantedInside = (teamIds: readonly string[]): RawBuilder<unknown> => sql`
  exists (select 1 from ws_grants i join ws_workspaces w on w.id = i.workspace_id
           where i.team_id = any(${teamIds}::text[]) and w.project_id = p.id)`;

/** The condition that the caller may read the project `p` with the join `g`, for lists. */
export const isReadableProject = (standing: Standing): RawBuilder<unknown> =>
  readsEvery(standing) ? sql`true` : sql`(g.settings is not null or ${grantedInside(standing.teamIds)})`;

const readsEvery = ({ may }: Standing): boolean =>
  may('read-projects') || may('read-workspaces') || may('manage-workspaces') || may('manage-projects');

/** The rights of the caller on a project, from its access to the organization and the grants. */
export function projectLevels(standing: Standing, row: GrantedProjectRow): ProjectLevels {
  const all = standing.may('manage-projects');
  const settings = row.granted_settings ?? 0;
  const isDefault = row.id === standing.organization.default_project_id;
  return {
    reads: readsEvery(standing) || settings > 0 || row.granted_inside,
    updates: all || settings >= 2,
    removes: all || settings >= 3,
    createsWorkspaces: all || row.granted_creates === true || (isDefault && standing.may('manage-workspaces')),
    movesWorkspaces: all || row.granted_moves === true,
    teams: all ? 2 : (row.granted_teams ?? 0),
  };
}
