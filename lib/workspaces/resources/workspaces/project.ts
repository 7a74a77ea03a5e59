import type { QueryExecutorProvider } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { levelsEverywhere, type Standing } from '../../access/standing.ts';

type Row = RowOf<typeof grantColumns>;

const grantColumns = {
  /** Null when the organization has no such project. */
  id: nullable(text),
  creates: bool,
  moves: bool,
  admin: bool,
};

const projectNotFound = () => unprocessable('Project not found, or you are not authorized to use it.');

/** The project of a new workspace, and whether its creator may give it tags. */
export interface Place {
  readonly projectId: string;
  readonly managesTags: boolean;
}

/**
 * The project for a new workspace: the requested one, else the default project.
 *
 * @throws ApiError 422 when the caller may not create workspaces in this project
 */
export async function projectToCreateIn(
  db: QueryExecutorProvider,
  standing: Standing,
  named: string | undefined,
): Promise<Place> {
  const { default_project_id: defaultId } = standing.organization;
  const { id, creates, admin } = await grantsIn(db, standing, named ?? defaultId);
  const everywhere = mayInEveryProject(standing);
  const inDefault = everywhere || standing.may('manage-workspaces');
  if (id === null || !(everywhere || creates || (inDefault && id === defaultId))) throw projectNotFound();
  return { projectId: id, managesTags: admin || levelsEverywhere(standing).admin };
}

/** @throws ApiError 422 when the caller may not manage tags in the project */
export function mustManageTags(allowed: boolean): void {
  if (!allowed) throw unprocessable('You are not authorized to manage tags of workspaces in this project.');
}

/**
 * The project to which a workspace moves. `mustLeave` checks the right on its present project.
 *
 * @throws ApiError 422 when the project does not exist or the caller does not administer it
 */
export async function projectToMoveTo(db: QueryExecutorProvider, standing: Standing, named: string): Promise<string> {
  const { id, moves } = await grantsIn(db, standing, named);
  if (id === null || !(mayInEveryProject(standing) || moves)) throw projectNotFound();
  return id;
}

/** @throws ApiError when the caller may not move the workspace out of its project */
export const mustLeave = (allowed: boolean): void => {
  if (!allowed) throw projectNotFound();
};

const mayInEveryProject = (standing: Standing): boolean => standing.may('manage-projects');

/** The grants of the caller's teams on a project, locked until the transaction ends. */
async function grantsIn(db: QueryExecutorProvider, { organization, teamIds }: Standing, id: string): Promise<Row> {
  const { rows } = await rowsOf(grantColumns)`
    select p.id, coalesce(g.creates, false) as creates, coalesce(g.moves, false) as moves, coalesce(g.admin, false) as admin
      from (select 1) one
      left join (select id from ws_projects where id = ${id} and organization_id = ${organization.id} for key share) p on true
      left join lateral (select bool_or(creates) as creates, bool_or(moves) as moves, bool_or(admin) as admin from ws_grants
                          where team_id = any(${teamIds}::text[]) and project_id = p.id) g on true`.execute(db);
  return rows[0] ?? { id: null, creates: false, moves: false, admin: false };
}
