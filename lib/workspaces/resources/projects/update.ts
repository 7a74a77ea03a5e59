import { sql, type Transaction } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type FoundProject, findProject, projectColumns } from '../../access/project.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { reschedule } from '../auto-destroy/schedule.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { type Changeable, changedBy, mustHavePool, type SentProject } from './change.ts';
import { projectDocument } from './read.ts';

/** Updates the attributes that were sent. Tags in the request replace the present ones. */
export async function updateProject(
  store: Store,
  { project, standing }: FoundProject,
  sent: SentProject,
): Promise<DocumentReply> {
  const { id, organization_id: organizationId } = project;
  const sentBindings = sent.related['tag-bindings'];
  const bindings = sentBindings && bindingsOf(sentBindings);
  await withRefusals({ ws_projects_name: 'name' }, () =>
    store.transaction(async (tx) => {
      const before = await lock(tx, id);
      const columns = changedBy(sent, before);
      const owner = { organizationId, projectId: id, poolBefore: before.default_agent_pool_id };
      await mustHavePool(tx, owner, columns);
      await write(tx, id, columns);
      if (columns.auto_destroy_activity_duration !== before.auto_destroy_activity_duration)
        await reschedule(tx, sql`w.project_id = ${id}`);
      if (bindings !== undefined) await setBindings(tx, { projectId: id }, bindings);
    }),
  );
  return projectDocument(store, await findProject(store, standing.caller, id));
}

const { id: _id, organization_id: _organization, created_at: _time, ...changeable } = projectColumns;

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await rowsOf(changeable)`
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
