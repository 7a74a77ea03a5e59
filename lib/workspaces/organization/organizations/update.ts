import { sql, type Transaction } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, DocumentReply } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { standingIn, standingOf } from '../../access/standing.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { withRefusals } from '../../frame/refusals.ts';
import { type Changeable, changedBy, mustHavePool } from './change.ts';
import { organizationDocument } from './document.ts';

/** Changes an organization; what was not sent stays. */
export async function updateOrganization({ store }: WorkspaceParts, call: ApiCall): Promise<DocumentReply> {
  const { organization, isOwner } = await standingIn(store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(isOwner);
  const { id } = organization;
  await withRefusals({ ws_organizations_name: 'name' }, () =>
    store.transaction(async (tx) => {
      const columns = changedBy(call, await lock(tx, id));
      await mustHavePool(tx, id, columns);
      await write(tx, id, columns);
    }),
  );
  return { data: await organizationDocument(store, standingOf(store, call.caller, sql`${id}`)) };
}

async function lock(tx: Transaction<Database>, id: string): Promise<Changeable> {
  const { rows } = await sql<Changeable>`
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
