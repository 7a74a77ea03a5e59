import { type QueryExecutorProvider, sql } from 'kysely';
import { attributesOf, dataOf, relatedOne } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { ProjectRow } from '../../access/project.ts';
import { serves } from '../agent-pools/scopes.ts';
import { projectFields } from './fields.ts';

/** What a document may change of a project. */
export type Changeable = Omit<ProjectRow, 'id' | 'organization_id' | 'created_at'>;

/**
 * A project as a document makes it from what it was. A setting that says `false` of its overwriting is that of the organization,
 * whatever else was sent.
 *
 * @throws ApiError 422
 */
export function changedBy(call: ApiCall, old: Changeable): Changeable {
  const sent = attributesOf(call, 'projects', projectFields);
  const overwrites = sent['setting-overwrites'];
  const own = overwritten(overwrites ?? {});
  const inherits = own === false;
  const mode = inherits ? null : chosen(sent['default-execution-mode'], old.default_execution_mode);
  if (own === true && mode === null)
    throw invalidAttribute(
      'default-execution-mode',
      'Default execution mode must be specified when setting-overwrites.default-execution-mode is true',
    );
  const pool = relatedOne(dataOf(call), 'default-agent-pool');
  const sentPool = pool === undefined ? sent['default-agent-pool-id'] : (pool?.id ?? null);
  // Clients send an empty one for none.
  if (!inherits && mode !== 'agent' && sentPool)
    throw invalidAttribute(
      'default-agent-pool-id',
      "Default agent pool must not be specified unless using 'agent' execution mode",
    );
  return {
    name: sent.name ?? old.name,
    description: chosen(sent.description, old.description),
    default_execution_mode: mode,
    default_agent_pool_id: mode === 'agent' ? chosen(sentPool, old.default_agent_pool_id) : null,
    auto_destroy_activity_duration: chosen(sent['auto-destroy-activity-duration'], old.auto_destroy_activity_duration),
  };
}

/** Both settings have one source. @throws ApiError 422 for two */
function overwritten({
  'default-execution-mode': mode,
  'default-agent-pool': pool,
}: {
  readonly 'default-execution-mode'?: boolean | null | undefined;
  readonly 'default-agent-pool'?: boolean | null | undefined;
}): boolean | undefined {
  if (typeof mode === 'boolean' && typeof pool === 'boolean' && mode !== pool)
    throw invalidAttribute(
      'setting-overwrites',
      'If default-agent-pool and default-execution-mode are both included in setting-overwrites, their values must be the same.',
    );
  return mode ?? pool ?? undefined;
}

const chosen = <T>(sent: T | undefined, old: T): T => (sent === undefined ? old : sent);

interface Owner {
  readonly organizationId: string;
  /** Null for a project that is being made. */
  readonly projectId: string | null;
  /** The pool that it had: it is kept although it may serve the project no more. */
  readonly poolBefore: string | null;
}

/** @throws ApiError 422 when workspaces were to run on agents of a pool that the organization does not have, or that does not serve the project */
export async function mustHavePool(
  db: QueryExecutorProvider,
  { organizationId, projectId, poolBefore }: Owner,
  { default_execution_mode: mode, default_agent_pool_id: pool }: Changeable,
): Promise<void> {
  if (mode !== 'agent') return;
  const { rows } = await sql`
    select 1 from ws_agent_pools p where id = ${pool} and organization_id = ${organizationId}
       and (id = ${poolBefore} or ${serves('p', { projectId })}) for key share`.execute(db);
  if (rows.length === 0) throw unprocessable("Default agent pool must be specified when using 'agent' execution mode");
}
