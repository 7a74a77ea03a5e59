import type { Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import { relatedOne } from '#path/jsonapi/body.ts';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { serves } from '../agent-pools/scopes.ts';
import type { Columns } from '../workspace-settings/change.ts';
import type { SentExecution } from '../workspace-settings/execution.ts';
import { settingsOf } from '../workspace-settings/settings.ts';

/** A workspace after its creation or change. */
interface Bound {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
}

/**
 * Checks that the organization has the agent pool and the OAuth token, and that the workspace or its project may use them.
 *
 * @throws ApiError 422
 */
export async function mustBeOfOrganization(
  tx: Transaction<Database>,
  { id, organizationId, projectId }: Bound,
  { agent_pool_id, oauth_token_id }: Pick<Columns, 'agent_pool_id' | 'oauth_token_id'>,
): Promise<void> {
  if (agent_pool_id === null && oauth_token_id === null) return;
  const { rows } = await rowsOf({ pool: bool, token: bool })`
    select exists (select 1 from ws_agent_pools p where id = ${agent_pool_id} and organization_id = ${organizationId}
                      and ${serves('p', { workspaceId: id, projectId })}) as pool,
           exists (select 1 from ws_oauth_tokens t join ws_oauth_clients c on c.id = t.client_id
                    where t.id = ${oauth_token_id} and c.organization_id = ${organizationId}
                      and (coalesce(c.settings->>'organization-scoped', 'true') = 'true' or exists (
                        select 1 from ws_oauth_client_projects s
                         where s.client_id = c.id and s.project_id = ${projectId}))) as token`.execute(tx);
  if (agent_pool_id !== null && rows[0]?.pool !== true)
    throw invalidAttribute('agent-pool-id', 'Agent pool not found, or you are not authorized to use it.');
  if (oauth_token_id !== null && rows[0]?.token !== true)
    throw invalidAttribute('vcs-repo/oauth-token-id', 'OAuth token not found, or you are not authorized to use it.');
}

/**
 * Looks at the repository that a change connects a workspace to, with a token that the workspace may use. A workspace that keeps its
 * repository is changed without a look.
 *
 * @throws ApiError 422 when it cannot be read, 503 while too many are looked at
 */
export async function mustReach(
  { store, repositories }: Pick<WorkspaceParts, 'store' | 'repositories'>,
  bound: Bound,
  { current, next }: { readonly current: RepositoryColumns; readonly next: RepositoryColumns },
): Promise<void> {
  const { oauth_token_id: tokenId } = next;
  const [before, after] = [settingsOf(current.settings)['vcs-repo'], settingsOf(next.settings)['vcs-repo']];
  if (tokenId === null || after === null) return;
  if (tokenId === current.oauth_token_id && after.identifier === before?.identifier) return;
  await store.transaction((tx) => mustBeOfOrganization(tx, bound, { agent_pool_id: null, oauth_token_id: tokenId }));
  await repositories.mustExist({ organizationId: bound.organizationId, tokenId, identifier: after.identifier });
}

type RepositoryColumns = Pick<Columns, 'settings' | 'oauth_token_id'>;

/** Clients send the agent pool as an attribute or as a relationship. The attribute takes precedence. */
export function withPool<S extends SentExecution>(sent: S, data: JsonObject): S {
  const pool = relatedOne(data, 'agent-pool');
  return { ...sent, 'agent-pool-id': sent['agent-pool-id'] || (pool?.id ?? null) };
}
