import { type QueryExecutorProvider, sql } from 'kysely';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import { levelsEverywhere, type Standing } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';

interface Row {
  /** Null: the organization has no such project. */
  readonly id: string | null;
  readonly creates: boolean;
  readonly moves: boolean;
  readonly admin: boolean;
  /** In any project. */
  readonly creates_somewhere: boolean;
}

const strange = () => unprocessable('Project not found, or you are not authorized to use it.');

/** Where a workspace is to be made, and whether its maker may give it tags. */
export interface Place {
  readonly projectId: string;
  readonly managesTags: boolean;
}

/**
 * The project in which a workspace is to be made: the one that was named, else the default one.
 *
 * @throws ApiError 404 when the caller makes no workspaces at all, 422 when not in this project
 */
export async function projectToCreateIn(
  db: QueryExecutorProvider,
  standing: Standing,
  named: string | undefined,
): Promise<Place> {
  const { default_project_id: defaultId } = standing.organization;
  const { id, creates, creates_somewhere, admin } = await grantsIn(db, standing, named ?? defaultId);
  const everywhere = mayInEveryProject(standing);
  const inDefault = everywhere || standing.may('manage-workspaces');
  mustHave(inDefault || creates_somewhere);
  if (id === null || !(everywhere || creates || (inDefault && id === defaultId))) throw strange();
  return { projectId: id, managesTags: admin || levelsEverywhere(standing).admin };
}

/** @throws ApiError 422 for who may make a workspace without tags alone */
export function mustManageTags(allowed: boolean): void {
  if (!allowed) throw unprocessable('You are not authorized to manage tags of workspaces in this project.');
}

/**
 * The project to which a workspace is to be moved. Whether it may leave its own is for the caller to see.
 *
 * @throws ApiError 422 for one that is not there, or where the caller is no administrator
 */
export async function projectToMoveTo(db: QueryExecutorProvider, standing: Standing, named: string): Promise<string> {
  const { id, moves } = await grantsIn(db, standing, named);
  if (id === null || !(mayInEveryProject(standing) || moves)) throw strange();
  return id;
}

/** For a workspace that may not leave its project. */
export const mustLeave = (allowed: boolean): void => {
  if (!allowed) throw strange();
};

const mayInEveryProject = (standing: Standing): boolean => standing.may('manage-projects');

/** What the caller's teams were granted on a project, locked so that it stays until the transaction ends. */
async function grantsIn(db: QueryExecutorProvider, { organization, teamIds }: Standing, id: string): Promise<Row> {
  const { rows } = await sql<Row>`
    select p.id, coalesce(g.creates, false) as creates, coalesce(g.moves, false) as moves, coalesce(g.admin, false) as admin,
           exists (select 1 from ws_grants where team_id = any(${teamIds}::text[]) and creates) as creates_somewhere
      from (select 1) one
      left join (select id from ws_projects where id = ${id} and organization_id = ${organization.id} for key share) p on true
      left join lateral (select bool_or(creates) as creates, bool_or(moves) as moves, bool_or(admin) as admin from ws_grants
                          where team_id = any(${teamIds}::text[]) and project_id = p.id) g on true`.execute(db);
  return rows[0] ?? { id: null, creates: false, moves: false, admin: false, creates_somewhere: false };
}
