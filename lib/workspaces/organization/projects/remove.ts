import { sql } from 'kysely';
import { forbidden, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { findProject } from '../../access/project.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** Removes a project that has no workspaces. */
export async function removeProject({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { project, standing, levels } = await findProject(store, call.caller, call.parameters['project_id'] ?? '');
  mustHave(levels.removes);
  if (project.id === standing.organization.default_project_id)
    throw forbidden('The default project of an organization cannot be deleted.');
  await store.transaction(async (tx) => {
    // Who makes a workspace in it meanwhile waits, and finds no project then.
    await sql`select 1 from ws_projects where id = ${project.id} for update`.execute(tx);
    const { rows } = await sql`select 1 from ws_workspaces where project_id = ${project.id} limit 1`.execute(tx);
    if (rows.length > 0) throw unprocessable('A project cannot be deleted while it has workspaces.');
    await sql`delete from ws_projects where id = ${project.id}`.execute(tx);
  });
}
