import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { stateLevels } from '../../access/levels.ts';
import { findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { ResourceSummary } from './counts.ts';

/** The resources of the current state, as they were noted while its file arrived: their number is bounded there. */
export const resourceRow = (parts: WorkspaceParts): ApiRow => ({
  method: 'GET',
  path: '/api/v2/workspaces/:workspace_id/resources',
  summary: 'Resources of the current state of a workspace',
  run: (call) => list(parts, call),
});

interface ListedRow {
  readonly state_version_id: string;
  readonly created_at: Date;
  readonly total: number;
  /** Null: the page is beyond the end. */
  readonly resource: ResourceSummary | null;
}

async function list({ store }: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const page = pageOf(call.query);
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, levels } = await findWorkspace(store, call.caller, by);
  mustHave(levels.state_versions >= stateLevels.read);
  const { rows } = await sql<ListedRow>`
    select s.id as state_version_id, s.created_at, jsonb_array_length(s.resources) as total, r.value as resource
      from ws_state_versions s
      left join lateral (select value, n from jsonb_array_elements(s.resources) with ordinality e (value, n)
                          order by n limit ${page.size} offset ${page.offset}) r on true
     where s.id = ${workspace.current_state_version_id} order by r.n`.execute(store.db);
  const data = rows.flatMap((row) => (row.resource === null ? [] : [resourceOf(workspace.id, row, row.resource)]));
  return { data, page: told(page, rows[0]?.total ?? 0) };
}

/** What a state does not say of a resource is what is known of the state: when it came, and which one it is. */
function resourceOf(
  workspaceId: string,
  { state_version_id, created_at }: ListedRow,
  { type, name, module, provider }: ResourceSummary,
): Resource {
  const address = `${module === 'root' ? '' : `${module}.`}${type}.${name}`;
  const day = created_at.toISOString().slice(0, 10);
  return {
    id: idOf(workspaceId, address),
    type: 'resources',
    attributes: {
      ...{ address, name, module, 'name-index': null, provider: providerIn(provider) },
      ...{ 'provider-type': type.replace(/^data\./, ''), 'created-at': day, 'updated-at': day },
      'modified-by-state-version-id': state_version_id,
    },
  };
}

/** The same while the resource has its address. */
const idOf = (workspaceId: string, address: string): string =>
  `wsr-${createHash('sha256').update(`${workspaceId} ${address}`).digest('hex').slice(0, 16)}`;

/** `hashicorp/null` of `provider["registry.example/hashicorp/null"]`, as clients show it. */
const providerIn = (text: string): string => /\["(?:[^"/]+\/)?([^"]+\/[^"/]+)"\]/.exec(text)?.[1] ?? text;
