import { sql, type Transaction } from 'kysely';
import { dataOf, relatedMany } from '../../../path/jsonapi/body.ts';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { findProject } from '../../access/project.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { bindingsOf, setBindings } from '../../workspace/tag-bindings/write.ts';
import { type Changeable, changedBy, mustHavePool } from './change.ts';
import { projectDocument } from './read.ts';

/** Changes a project; what was not sent stays. Tags that were sent replace those that were there. */
export async function updateProject({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { project, levels } = await findProject(store, call.caller, call.parameters['project_id'] ?? '');
  mustHave(levels.updates);
  const { id, organization_id: organizationId } = project;
  const sentBindings = relatedMany(dataOf(call), 'tag-bindings');
  const bindings = sentBindings && bindingsOf(sentBindings);
  await withRefusals({ ws_projects_name: 'name' }, () =>
    store.transaction(async (tx) => {
      const before = await lock(tx, id);
      const columns = changedBy(call, before);
      const owner = { organizationId, projectId: id, poolBefore: before.default_agent_pool_id };
      await mustHavePool(tx, owner, columns);
      await write(tx, id, columns);
      if (bindings !== undefined) await setBindings(tx, { projectId: id }, bindings);
    }),
  );
  return projectDocument(store, await findProject(store, call.caller, id));
}

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await sql<Changeable>`
    select name, description, default_execution_mode, default_agent_pool_id, auto_destroy_activity_duration
      from ws_projects where id = ${id} for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

const write = (tx: Transaction<Database>, id: string, columns: Changeable) =>
  sql`
    update ws_projects
       set name = ${columns.name}, description = ${columns.description},
           default_execution_mode = ${columns.default_execution_mode},
           default_agent_pool_id = ${columns.default_agent_pool_id},
           auto_destroy_activity_duration = ${columns.auto_destroy_activity_duration}
     where id = ${id}`.execute(tx);
