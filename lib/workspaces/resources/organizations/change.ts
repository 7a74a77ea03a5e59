import { type QueryExecutorProvider, sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import { document } from '#path/jsonapi/input.ts';
import type { Organization } from '../../access/standing.ts';
import { columnFields, settingFields } from './fields.ts';

/** The columns of an organization that a document can change. */
export type Changeable = Omit<Organization, 'id' | 'default_project_id' | 'created_at'>;

const fields = { ...columnFields, ...settingFields };

type Sent = Attributes<typeof fields>;

/** An organization in a request. */
export interface SentOrganization {
  readonly attributes: Sent;
  readonly related: { readonly 'default-agent-pool': { readonly id: string } | null | undefined };
}

export const organizationBody = document({
  type: 'organizations',
  attributes: fields,
  relationships: { 'default-agent-pool': 'agent-pools' },
});

/** An organization after a request. Attributes that were not sent keep their values; null restores the default. */
export function changedBy({ attributes: sent, related }: SentOrganization, old: Changeable): Changeable {
  const pool = related['default-agent-pool'];
  const mode = chosen(sent['default-execution-mode'], old.default_execution_mode, 'remote');
  if (mode !== 'agent' && pool)
    throw invalidAttribute(
      'default-agent-pool-id',
      "Default agent pool must not be specified unless using 'agent' execution mode",
    );
  return {
    name: sent.name ?? old.name,
    email: sent.email ?? old.email,
    default_execution_mode: mode,
    default_agent_pool_id: mode === 'agent' ? chosen(pool?.id, old.default_agent_pool_id, null) : null,
    allow_force_delete_workspaces: chosen(
      sent['allow-force-delete-workspaces'],
      old.allow_force_delete_workspaces,
      false,
    ),
    assessments_enforced: chosen(sent['assessments-enforced'], old.assessments_enforced, false),
    settings: changedSettings(sent, old.settings),
  };
}

const chosen = <T>(sent: T | null | undefined, old: T, usual: T): T => (sent === undefined ? old : (sent ?? usual));

function changedSettings(sent: Sent, old: Organization['settings']): Organization['settings'] {
  const settings = Object.entries(sent).filter(([name]) => Object.hasOwn(settingFields, name));
  const all = { ...old, ...Object.fromEntries(settings) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
}

/** @throws ApiError 422 when the default agent pool is not in the organization */
export async function mustHavePool(
  db: QueryExecutorProvider,
  organizationId: string,
  {
    default_execution_mode: mode,
    default_agent_pool_id: pool,
  }: Pick<Changeable, 'default_execution_mode' | 'default_agent_pool_id'>,
): Promise<void> {
  if (mode !== 'agent') return;
  const { rows } = await sql`
    select 1 from ws_agent_pools where id = ${pool} and organization_id = ${organizationId} for key share`.execute(db);
  if (rows.length === 0) throw unprocessable("Default agent pool must be specified when using 'agent' execution mode");
}
