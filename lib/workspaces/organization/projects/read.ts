import { sql } from 'kysely';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type FoundProject, findProject } from '../../access/project.ts';
import { including, type ProjectsReply } from './include.ts';
import { type ProjectCounts, projectResource } from './view.ts';

/** Columns of `ProjectCounts` for the project `p`. */
export const countColumns = sql`
  (select count(*)::int from ws_workspaces w where w.project_id = p.id) as workspace_count,
  (select count(distinct t.team_id)::int from ws_grants t where t.project_id = p.id) as team_count`;

/** The document of the project that a path names. @throws ApiError 404, and 400 for what can't be included */
export async function showProject(store: Pick<Store, 'db'>, call: ApiCall): Promise<DocumentReply> {
  const include = including(store, call);
  return include(
    await projectDocument(store, await findProject(store, call.caller, call.parameters['project_id'] ?? '')),
  );
}

/** The document of one project. */
export async function projectDocument(store: Pick<Store, 'db'>, found: FoundProject): Promise<ProjectsReply> {
  const { rows } = await sql<ProjectCounts>`
    select ${countColumns} from (select ${found.project.id}::text as id) p`.execute(store.db);
  return { data: projectResource(found, rows[0] ?? { workspace_count: 0, team_count: 0 }) };
}
