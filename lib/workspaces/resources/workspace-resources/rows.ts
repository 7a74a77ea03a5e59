import { createHash } from 'node:crypto';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, jsonOf, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceRow } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type ResourceSummary, resourceSummary } from './counts.ts';

/** The resources of the current state. They were extracted from its file during the upload, up to a limit. */
export const workspaceResourceRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/resources',
    summary: 'List the resources of the current state of a workspace',
    needs: { workspace: 'read-states' },
    query: { page: paged() },
    replies: { 200: ['resources'] },
    run: ({ found, query }) => list(parts, found.workspace, query.page),
  }),
];

type ListedRow = RowOf<typeof listedColumns>;

const listedColumns = {
  state_version_id: text,
  created_at: timestamptz,
  total: int,
  /** Null for a page beyond the end. */
  resource: nullable(jsonOf(resourceSummary)),
};

async function list({ store }: WorkspaceParts, workspace: WorkspaceRow, page: Page): Promise<ApiReply> {
  const { rows } = await rowsOf(listedColumns)`
    select s.id as state_version_id, s.created_at, jsonb_array_length(s.resources) as total, r.value as resource
      from ws_state_versions s
      left join lateral (select value, n from jsonb_array_elements(s.resources) with ordinality e (value, n)
                          order by n limit ${page.size} offset ${page.offset}) r on true
     where s.id = ${workspace.current_state_version_id} order by r.n`.execute(store.db);
  const data = rows.flatMap((row) => (row.resource === null ? [] : [resourceOf(workspace.id, row, row.resource)]));
  return { data, page: pageInfo(page, rows[0]?.total ?? 0) };
}

/** Attributes that a state does not contain for each resource are those of the state: its time and its id. */
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
      address,
      name,
      module,
      'name-index': null,
      provider: providerIn(provider),
      'provider-type': type.replace(/^data\./, ''),
      'created-at': day,
      'updated-at': day,
      'modified-by-state-version-id': state_version_id,
    },
  };
}

/** An id that stays the same while the resource keeps its address. */
const idOf = (workspaceId: string, address: string): string =>
  `wsr-${createHash('sha256').update(`${workspaceId} ${address}`).digest('hex').slice(0, 16)}`;

/** The short provider name that clients show: `hashicorp/null` for `provider["registry.example/hashicorp/null"]`. */
const providerIn = (text: string): string => /\["(?:[^"/]+\/)?([^"]+\/[^"/]+)"\]/.exec(text)?.[1] ?? text;
