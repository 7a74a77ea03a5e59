import { sql } from 'kysely';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { FoundProject } from '../../access/project.ts';
import type { ProjectsReply } from './include.ts';
import { projectCountColumns, projectResource } from './view.ts';

/** Columns of `ProjectCounts` for the project `p`. */
export const countColumns = sql`
  (select count(*)::int from ws_workspaces w where w.project_id = p.id) as workspace_count,
  (select count(distinct t.team_id)::int from ws_grants t where t.project_id = p.id) as team_count`;

/** The document of one project. */
export async function projectDocument(store: Pick<Store, 'db'>, found: FoundProject): Promise<ProjectsReply> {
  const { rows } = await rowsOf(projectCountColumns)`
    select ${countColumns} from (select ${found.project.id}::text as id) p`.execute(store.db);
  return { data: projectResource(found, rows[0] ?? { workspace_count: 0, team_count: 0 }) };
}
