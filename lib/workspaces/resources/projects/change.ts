import { type QueryExecutorProvider, sql } from 'kysely';
import { z } from 'zod';
import type { JsonObject } from '#core/json/json.ts';
import { sizeRule } from '#path/fields.ts';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import { flag, oneOf, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import type { ProjectRow } from '../../access/project.ts';
import { overwritesMessage } from '../../frame/overwrites.ts';
import { serves } from '../agent-pools/scopes.ts';

/** Attributes of a project in a request. */
const projectFields = {
  name: text(90)
    .min(3, sizeRule('is too short (minimum is 3 characters)'))
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9 _-]*[A-Za-z0-9_-])?$/, 'may only contain letters, numbers, spaces, "_", and "-"'),
  description: text(256).nullable(),
  'auto-destroy-activity-duration': z
    .string('must be a string')
    .regex(/^0*[1-9]\d{0,3}[dh]$/, "has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')")
    .max(5, sizeRule("has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')"))
    .nullable(),
  'default-execution-mode': oneOf(['remote', 'local', 'agent']).nullable(),
  'default-agent-pool-id': text(64).nullable(),
  'setting-overwrites': z
    .strictObject(
      {
        'default-execution-mode': flag().nullish(),
        'default-agent-pool': flag().nullish(),
      },
      { error: overwritesMessage('default-execution-mode and default-agent-pool') },
    )
    .nullable(),
};

/** The columns of a project that a document can change. */
export type Changeable = Omit<ProjectRow, 'id' | 'organization_id' | 'created_at'>;

/** A project in a request. */
export interface SentProject {
  readonly attributes: Attributes<typeof projectFields>;
  readonly related: {
    readonly 'default-agent-pool': { readonly id: string } | null | undefined;
    readonly 'tag-bindings': readonly JsonObject[] | undefined;
  };
}

export const projectBody = document({
  type: 'projects',
  attributes: projectFields,
  relationships: { 'default-agent-pool': 'agent-pools', 'tag-bindings': ['tag-bindings'] },
});

/**
 * A project after a request. Where `setting-overwrites` has `false` the setting of the organization applies, whatever else was
 * sent.
 *
 * @throws ApiError 422
 */
export function changedBy({ attributes: sent, related }: SentProject, old: Changeable): Changeable {
  const overwrites = sent['setting-overwrites'];
  const own = overwritten(overwrites ?? {});
  const inherits = own === false;
  const mode = inherits ? null : chosen(sent['default-execution-mode'], old.default_execution_mode);
  if (own === true && mode === null)
    throw invalidAttribute(
      'default-execution-mode',
      'Default execution mode must be specified when setting-overwrites.default-execution-mode is true',
    );
  const pool = related['default-agent-pool'];
  const sentPool = pool === undefined ? sent['default-agent-pool-id'] : (pool?.id ?? null);
  // Clients send an empty string for none.
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

/** Both settings come from the same source. @throws ApiError 422 for different ones */
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
  /** Null for a new project. */
  readonly projectId: string | null;
  /** The present pool, which may be kept even if it no longer serves the project. */
  readonly poolBefore: string | null;
}

/** @throws ApiError 422 when the pool is not in the organization or does not serve the project */
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
