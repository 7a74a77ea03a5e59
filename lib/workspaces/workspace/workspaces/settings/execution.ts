import { invalidAttribute } from '../../../../path/jsonapi/error.ts';

export const executionModes = ['remote', 'local', 'agent'] as const;
export type ExecutionMode = (typeof executionModes)[number];

/** Where the runs of a workspace take place. No mode: where its project or its organization says. */
export interface Execution {
  readonly execution_mode: ExecutionMode | null;
  /** Of the mode `agent` alone. */
  readonly agent_pool_id: string | null;
}

/** What a request says of it, of two ways. */
export interface SentExecution {
  readonly 'execution-mode'?: ExecutionMode | undefined;
  /** Deprecated: true is the mode `remote`, false is `local`. */
  readonly operations?: boolean | undefined;
  /** Empty and null: it says nothing. */
  readonly 'agent-pool-id'?: string | null | undefined;
  /** False: the default holds, whatever else was sent. */
  readonly 'setting-overwrites'?: Overwrites | null | undefined;
}

interface Overwrites {
  readonly 'execution-mode'?: boolean | undefined;
  readonly 'agent-pool'?: boolean | undefined;
}

/**
 * Where runs take place after a request (specification 002, section 4.2; reference, workspaces 3).
 *
 * @throws ApiError 422 for what contradicts itself
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

/** Both settings have one source. @throws ApiError 422 for two */
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
