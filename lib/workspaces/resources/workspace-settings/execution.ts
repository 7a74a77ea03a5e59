import { invalidAttribute } from '#path/jsonapi/error.ts';
import type { Organization } from '../../access/standing.ts';

export const executionModes = ['remote', 'local', 'agent'] as const;
export type ExecutionMode = (typeof executionModes)[number];

/** The execution setting of a workspace. Without a mode, the setting of its project or organization applies. */
export interface Execution {
  readonly execution_mode: ExecutionMode | null;
  /** Only for the mode `agent`. */
  readonly agent_pool_id: string | null;
}

/** The execution setting in a request, which has two forms. */
export interface SentExecution {
  readonly 'execution-mode'?: ExecutionMode | undefined;
  /** Deprecated. True means the mode `remote`, false means `local`. */
  readonly operations?: boolean | undefined;
  /** An empty string and null count as absent. */
  readonly 'agent-pool-id'?: string | null | undefined;
  /** False selects the default, whatever else was sent. */
  readonly 'setting-overwrites'?: Overwrites | null | undefined;
}

interface Overwrites {
  readonly 'execution-mode'?: boolean | undefined;
  readonly 'agent-pool'?: boolean | undefined;
}

/**
 * The execution setting after a request.
 *
 * @throws ApiError 422 for settings that contradict each other
 */
export function changedExecution(current: Execution, sent: SentExecution): Execution {
  const own = isOwn(sent['setting-overwrites'] ?? {});
  const mode = sentMode(sent) ?? current.execution_mode;
  if (own === false) return { execution_mode: null, agent_pool_id: null };
  if (own === true && mode === null)
    throw invalidAttribute(
      'execution-mode',
      'Execution mode must be specified when setting-overwrites.execution-mode is true',
    );
  return { execution_mode: mode, agent_pool_id: poolOf(mode, current, sent['agent-pool-id'] || null) };
}

/** Both settings come from the same source. @throws ApiError 422 for different ones */
function isOwn({ 'execution-mode': mode, 'agent-pool': pool }: Overwrites): boolean | undefined {
  if (mode !== undefined && pool !== undefined && mode !== pool)
    throw invalidAttribute(
      'setting-overwrites',
      'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  return mode ?? pool;
}

function sentMode({ 'execution-mode': mode, operations }: SentExecution): ExecutionMode | undefined {
  if (operations === undefined) return mode;
  if (mode !== undefined)
    throw invalidAttribute(
      'operations',
      'Operations is deprecated and cannot be specified when execution mode is used',
    );
  return operations ? 'remote' : 'local';
}

function poolOf(mode: ExecutionMode | null, current: Execution, sent: string | null): string | null {
  if (mode !== 'agent') {
    if (sent === null) return null;
    throw invalidAttribute('agent-pool-id', "Agent pool must not be specified unless using 'agent' execution mode");
  }
  const pool = sent ?? current.agent_pool_id;
  if (pool !== null) return pool;
  throw invalidAttribute('agent-pool-id', "Agent pool must be specified when using 'agent' execution mode");
}

/** Null mode: the project uses the default of its organization. */
interface ProjectExecution {
  readonly project_mode: ExecutionMode | null;
  readonly project_pool: string | null;
}

/** The setting of the workspace itself, else that of its project, else that of its organization. */
export function effectiveExecution(
  own: Execution,
  { project_mode, project_pool }: ProjectExecution,
  organization: Pick<Organization, 'default_execution_mode' | 'default_agent_pool_id'>,
): { readonly mode: ExecutionMode; readonly pool: string | null } {
  if (own.execution_mode !== null) return { mode: own.execution_mode, pool: own.agent_pool_id };
  const [mode, pool] =
    project_mode === null
      ? [organization.default_execution_mode, organization.default_agent_pool_id]
      : [project_mode, project_pool];
  return { mode, pool: mode === 'agent' ? pool : null };
}
