import { sql, type Transaction } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { organizationAccessById, organizationColumns, type Standing } from '../../access/standing.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Changeable, changedBy, mustHavePool, type SentOrganization } from './change.ts';
import { organizationDocument } from './document.ts';

/** Updates the attributes that were sent. */
export async function updateOrganization(
  store: Store,
  { organization: { id }, caller }: Standing,
  sent: SentOrganization,
): Promise<DocumentReply> {
  await withRefusals({ ws_organizations_name: 'name' }, () =>
    store.transaction(async (tx) => {
      const columns = changedBy(sent, await lock(tx, id));
      await mustHavePool(tx, id, columns);
      await write(tx, id, columns);
    }),
  );
  return { data: await organizationDocument(store, organizationAccessById(store, caller, sql`${id}`)) };
}

const { id: _id, default_project_id: _project, created_at: _time, ...changeable } = organizationColumns;

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await rowsOf(changeable)`
    select name, email, default_execution_mode, default_agent_pool_id, allow_force_delete_workspaces, assessments_enforced, settings
      from ws_organizations where id = ${id} and removed_at is null for update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw notFound();
  return row;
}

const write = (tx: Transaction<Database>, id: string, columns: Changeable) =>
  sql`
    update ws_organizations
       set name = ${columns.name}, email = ${columns.email}, settings = ${JSON.stringify(columns.settings)},
           default_execution_mode = ${columns.default_execution_mode},
           default_agent_pool_id = ${columns.default_agent_pool_id},
           allow_force_delete_workspaces = ${columns.allow_force_delete_workspaces},
           assessments_enforced = ${columns.assessments_enforced}
     where id = ${id}`.execute(tx);
