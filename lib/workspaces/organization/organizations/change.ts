import { type QueryExecutorProvider, sql } from 'kysely';
import { attributesOf, dataOf, relatedOne } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Organization } from '../../access/standing.ts';
import { columnFields, settingFields } from './fields.ts';

/** What a document may change of an organization. */
export type Changeable = Omit<Organization, 'id' | 'default_project_id' | 'created_at'>;

/** An organization as a document makes it from what it was. What was not sent stays; null makes it what it is by default. */
export function changedBy(call: ApiCall, old: Changeable): Changeable {
  const sent = attributesOf(call, 'organizations', columnFields);
  const pool = relatedOne(dataOf(call), 'default-agent-pool');
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
    settings: changedSettings(call, old.settings),
  };
}

const chosen = <T>(sent: T | null | undefined, old: T, usual: T): T => (sent === undefined ? old : (sent ?? usual));

function changedSettings(call: ApiCall, old: Organization['settings']): Organization['settings'] {
  const all = { ...old, ...attributesOf(call, 'organizations', settingFields) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== undefined));
}

/** @throws ApiError 422 when workspaces were to run on agents of a pool that the organization does not have */
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
