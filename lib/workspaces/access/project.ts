import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../path/jsonapi/row.ts';
import type { Store } from '../../store/store.ts';
import { type Standing, standingOf } from './standing.ts';

/** A project as the store has it. */
export interface ProjectRow {
  readonly id: string;
  readonly organization_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly default_execution_mode: 'remote' | 'local' | 'agent' | null;
  readonly default_agent_pool_id: string | null;
  readonly auto_destroy_activity_duration: string | null;
  readonly created_at: Date;
}

/** What a caller may do with a project itself. What it may do with the workspaces in it say their levels. */
export interface ProjectLevels {
  readonly reads: boolean;
  readonly updates: boolean;
  readonly removes: boolean;
  readonly createsWorkspaces: boolean;
  /** To it and from it. */
  readonly movesWorkspaces: boolean;
  /** Of the access of teams to it: 0 none, 1 read, 2 manage. */
  readonly teams: number;
}

/** A project that the caller may read, and what else it may do with it. */
export interface FoundProject {
  readonly project: ProjectRow;
  readonly standing: Standing;
  readonly levels: ProjectLevels;
}

/** A project beside what is granted on it; null where nothing is. */
export type GrantedProjectRow = ProjectRow & {
  readonly granted_settings: number | null;
  readonly granted_teams: number | null;
  readonly granted_creates: boolean | null;
  readonly granted_moves: boolean | null;
  /** On a workspace in it. */
  readonly granted_inside: boolean;
};

/**
 * A project by its id, in two statements.
 *
 * @throws ApiError 404: it is not there, or the caller may not read it
 */
export async function findProject(store: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<FoundProject> {
  const standing = await standingOf(store, caller, sql`(select organization_id from ws_projects where id = ${id})`);
  const { rows } = await sql<GrantedProjectRow>`
    select p.*, ${projectGrantColumns(standing)} from ws_projects p ${projectGrants(standing)}
     where p.id = ${id}`.execute(store.db);
  const [row] = rows;
  const levels = row && projectLevels(standing, row);
  if (row === undefined || levels?.reads !== true) throw notFound();
  return { project: row, standing, levels };
}

/** Joins what the caller's teams were granted on the project `p`, as `g`. Of several grants the largest counts. */
export const projectGrants = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  left join lateral (
    select max(case settings->>'project-settings' when 'delete' then 3 when 'update' then 2 else 1 end) as settings,
           max(case settings->>'project-teams' when 'manage' then 2 when 'read' then 1 else 0 end) as teams,
           bool_or(creates) as creates, bool_or(moves) as moves
      from ws_grants where team_id = any(${teamIds}::text[]) and project_id = p.id
  ) g on true`;

/** Columns of that join, and whether a workspace in the project is readable. */
export const projectGrantColumns = ({ teamIds }: Standing): RawBuilder<unknown> => sql`
  g.settings as granted_settings, g.teams as granted_teams, g.creates as granted_creates, g.moves as granted_moves,
  ${grantedInside(teamIds)} as granted_inside`;

const grantedInside = (teamIds: readonly string[]): RawBuilder<unknown> => sql`
  exists (select 1 from ws_grants i join ws_workspaces w on w.id = i.workspace_id
           where i.team_id = any(${teamIds}::text[]) and w.project_id = p.id)`;

/** Whether the caller may read the project `p` with the join `g`, for the condition of a list. */
export const isReadableProject = (standing: Standing): RawBuilder<unknown> =>
  readsEvery(standing) ? sql`true` : sql`(g.settings is not null or ${grantedInside(standing.teamIds)})`;

const readsEvery = ({ may }: Standing): boolean =>
  may('read-projects') || may('read-workspaces') || may('manage-workspaces') || may('manage-projects');

/** What the caller may do with a project, from its standing and what a statement answered of grants. */
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
