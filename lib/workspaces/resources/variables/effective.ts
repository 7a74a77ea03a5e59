import { sql } from 'kysely';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsVariablesTable } from '#store/tables/variables.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';
import type { VariableRow } from './view.ts';

/**
 * The variables of the runs of a workspace, in one statement. For variables of the same key and category the precedence is: sets with priority,
 * the workspace itself, sets of the workspace, of its project, of the whole organization; among equals, the first set by name.
 */
export async function effectiveVariables(
  { db }: Pick<Store, 'db'>,
  workspace: Pick<WorkspaceRow, 'id' | 'project_id' | 'organization_id'>,
): Promise<readonly VariableRow[]> {
  const { rows } = await rowsOf(wsVariablesTable)`
    select distinct on (v.category, v.key) v.*
      from (
        select null::text as set_id, false as priority, 0 as scope, '' as name
        union all
        select s.id, s.priority,
               case when w.workspace_id is not null then 1 when p.project_id is not null then 2 else 3 end, s.name
          from ws_variable_sets s
          left join ws_variable_set_workspaces w on w.variable_set_id = s.id and w.workspace_id = ${workspace.id}
          left join ws_variable_set_projects p on p.variable_set_id = s.id and p.project_id = ${workspace.project_id}
         where s.organization_id = ${workspace.organization_id} and ${appliesTo}
      ) sets
      join ws_variables v on v.variable_set_id = sets.set_id or sets.set_id is null and v.workspace_id = ${workspace.id}
     order by v.category, v.key, sets.priority desc, sets.scope, sets.name collate "C"`.execute(db);
  return rows;
}

/** The condition that the set `s` with its links `w` to a workspace and `p` to its project applies. */
const appliesTo = sql`(s.global or w.workspace_id is not null or p.project_id is not null)`;
