import { sql, type Transaction } from 'kysely';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { findProject } from '../../access/project.ts';
import type { Standing } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { bindingsOf, setBindings } from '../tag-bindings/write.ts';
import { type Changeable, changedBy, mustHavePool, type SentProject } from './change.ts';
import { projectDocument } from './read.ts';

/** Creates a project with its tags. */
export async function createProject(
  store: Store,
  { organization, caller }: Standing,
  sent: SentProject,
): Promise<DocumentReply> {
  const columns = changedBy(sent, nothingYet);
  if (columns.name === '') throw invalidAttribute('name', "Name can't be blank");
  const bindings = bindingsOf(sent.related['tag-bindings'] ?? []);
  const id = newId('prj');
  await withRefusals({ ws_projects_name: 'name' }, () =>
    store.transaction(async (tx) => {
      await mustHavePool(tx, { organizationId: organization.id, projectId: null, poolBefore: null }, columns);
      await mustHaveRoom(tx, organization.id);
      await insert(tx, { id, organizationId: organization.id, columns });
      await setBindings(tx, { projectId: id }, bindings);
    }),
  );
  return { ...(await projectDocument(store, await findProject(store, caller, id))), status: 201 };
}

const nothingYet: Changeable = {
  name: '',
  description: null,
  default_execution_mode: null,
  default_agent_pool_id: null,
  auto_destroy_activity_duration: null,
};

interface Making {
  readonly id: string;
  readonly organizationId: string;
  readonly columns: Changeable;
}

const insert = (tx: Transaction<Database>, { id, organizationId, columns }: Making) =>
  sql`
    insert into ws_projects (id, organization_id, name, description, default_execution_mode, default_agent_pool_id,
                             auto_destroy_activity_duration)
    values (${id}, ${organizationId}, ${columns.name}, ${columns.description}, ${columns.default_execution_mode},
            ${columns.default_agent_pool_id}, ${columns.auto_destroy_activity_duration})`.execute(tx);

/** Projects of one organization. */
const projectsMax = 10_000;

async function mustHaveRoom(tx: Transaction<Database>, organizationId: string): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_projects where organization_id = ${organizationId} offset ${projectsMax - 1} limit 1`.execute(tx);
  if (rows.length > 0) throw unprocessable(`An organization may have at most ${projectsMax} projects.`);
}
