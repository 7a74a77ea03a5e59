import { sql } from 'kysely';
import { type GrantedProjectRow, projectGrantColumns, projectGrants, projectLevels } from '../../../access/project.ts';
import { countColumns } from '../../../organization/projects/read.ts';
import { type ProjectCounts, projectResource } from '../../../organization/projects/view.ts';
import { type Include, idsOf } from './including.ts';

/** The projects as the caller sees them: who reads a workspace reads its project. */
export const project: Include = async ({ parts, found }) => {
  const [first] = found;
  if (first === undefined) return { resources: [] };
  const { standing } = first;
  const ids = idsOf(found.map(({ workspace }) => workspace.project_id));
  const { rows } = await sql<GrantedProjectRow & ProjectCounts>`
    select p.*, ${projectGrantColumns(standing)}, ${countColumns} from ws_projects p ${projectGrants(standing)}
     where p.id = any((select ${ids}::text[])::text[])`.execute(parts.store.db);
  return {
    resources: rows.map((row) =>
      projectResource({ project: row, standing, levels: projectLevels(standing, row) }, row),
    ),
  };
};
