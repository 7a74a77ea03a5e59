import { sql } from 'kysely';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { findPool } from './find.ts';

/** Removes a pool that nothing uses: what uses one has no other place to run. @throws ApiError 422 for another one */
export async function removePool({ store }: WorkspaceParts, call: ApiCall): Promise<undefined> {
  const { pool, mayManage } = await findPool(store, call);
  mustHave(mayManage);
  await store.transaction(async (tx) => {
    // Held before it is asked who uses it: whoever chooses it meanwhile waits, and then finds none.
    await sql`select id from ws_agent_pools where id = ${pool.id} for update`.execute(tx);
    const { rows } = await sql`
      select 1 from ws_workspaces where agent_pool_id = ${pool.id}
      union all select 1 from ws_projects
                 where organization_id = ${pool.organization_id} and default_agent_pool_id = ${pool.id}
      union all select 1 from ws_organizations
                 where id = ${pool.organization_id} and default_agent_pool_id = ${pool.id} limit 1`.execute(tx);
    if (rows.length > 0) throw unprocessable('Agent pool is in use and cannot be deleted');
    await sql`delete from ws_agent_pools where id = ${pool.id}`.execute(tx);
  });
}
