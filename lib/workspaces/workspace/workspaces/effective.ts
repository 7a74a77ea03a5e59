import type { Organization } from '../../access/standing.ts';
import type { Facts } from './facts.ts';
import type { Execution, ExecutionMode } from './settings/execution.ts';

/** Where runs take place: as the workspace says, else its project, else its organization (reference, workspaces 3). */
export function effectiveExecution(
  own: Execution,
  { project_mode, project_pool }: Pick<Facts, 'project_mode' | 'project_pool'>,
  organization: Pick<Organization, 'default_execution_mode' | 'default_agent_pool_id'>,
): { readonly mode: ExecutionMode; readonly pool: string | null } {
  if (own.execution_mode !== null) return { mode: own.execution_mode, pool: own.agent_pool_id };
  const [mode, pool] =
    project_mode === null
      ? [organization.default_execution_mode, organization.default_agent_pool_id]
      : [project_mode, project_pool];
  return { mode, pool: mode === 'agent' ? pool : null };
}
