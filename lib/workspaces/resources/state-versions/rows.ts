import { sql } from 'kysely';
import { badRequest, notFound } from '#path/jsonapi/error.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { workspaceFilters } from '../../access/needs/named.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createStateVersion } from './create.ts';
import { rollbackBody, stateStatuses, stateVersionBody } from './fields.ts';
import { outputOf, outputsOfVersions } from './outputs.ts';
import { rollBack } from './rollback.ts';
import { readStateVersion, type StateVersionRow, stateVersionsWhere } from './store.ts';
import { stateVersionOf } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/state-versions';

/** `include=outputs`; other names are ignored. */
const outputs = readBy([{ name: 'include', description: 'Related resources to include: outputs' }], (query) =>
  (query.get('include') ?? '').split(',').includes('outputs'),
);

/** A status; empty means any. */
const status = readBy(
  [{ name: 'filter[status]', schema: { type: 'string', enum: stateStatuses.options } }],
  (query) => {
    const text = query.get('filter[status]') ?? '';
    if (text !== '' && !stateStatuses.safeParse(text).success)
      throw badRequest(`filter[status] must be one of ${stateStatuses.options.join(', ')}`);
    return text;
  },
);

const listed = { page: paged(), status, outputs };

/** State versions of workspaces. */
export const stateVersionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...writeRows(parts),
  operation({
    method: 'GET',
    path: ofWorkspace,
    summary: 'List the state versions of a workspace',
    needs: { workspace: 'read-states' },
    query: listed,
    replies: { 200: ['state-versions'] },
    run: ({ found, query, origin }) => list(parts, found, query, origin),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/state-versions',
    summary: 'List the state versions of a workspace by its name',
    needs: { workspace: 'read-states' },
    query: { ...listed, workspace: workspaceFilters },
    named: ({ query }) => query.workspace,
    replies: { 200: ['state-versions'] },
    run: ({ found, query, origin }) => list(parts, found, query, origin),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/state-versions/:state_version_id',
    summary: 'Read a state version',
    needs: { workspace: 'read-states' },
    query: { outputs },
    replies: { 200: 'state-versions' },
    run: ({ found, parameters, query, origin }) =>
      show(parts, found, parameters.state_version_id, { ...query, origin }),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/current-state-version',
    summary: 'Read the current state version of a workspace',
    needs: { workspace: 'read-states' },
    query: { outputs },
    replies: { 200: 'state-versions', 404: 'The workspace has no state, or the caller lacks the right' },
    run: ({ found, query, origin }) =>
      show(parts, found, found.workspace.current_state_version_id, { ...query, origin }),
  }),
];

const writeRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: ofWorkspace,
    summary: 'Create a state version',
    needs: { workspace: 'write-states' },
    body: stateVersionBody,
    replies: {
      201: 'state-versions',
      409: 'The caller does not hold the lock, or the state cannot follow',
      412: 'The state does not have the MD5 hash in the document',
    },
    run: ({ found, body, origin }) => createStateVersion(parts, found, body, origin),
  }),
  operation({
    method: 'PATCH',
    path: ofWorkspace,
    summary: 'Roll back to a state version',
    needs: { workspace: 'write-states' },
    body: rollbackBody,
    replies: { 201: 'state-versions', 409: 'The caller does not hold the lock' },
    run: ({ found, body, origin }) => rollBack(parts, found, body.related['rollback-state-version'], origin),
  }),
];

interface Listed {
  readonly page: Page;
  readonly status: string;
  readonly outputs: boolean;
}

async function list(
  parts: WorkspaceParts,
  { workspace, levels, standing: { caller } }: FoundWorkspace,
  { page, status: wanted, outputs: withOutputs }: Listed,
  origin: string,
): Promise<ApiReply> {
  const condition = sql`s.workspace_id = ${workspace.id} and (${wanted} = '' or s.status = ${wanted})`;
  const { db } = parts.store;
  const rows = await stateVersionsWhere(db, condition, page);
  const counted = await rowsOf({ total: int })`
    select count(*)::int as total from ws_state_versions s where ${condition}`.execute(db);
  const reader = { origin, level: levels.state_versions, caller };
  return {
    data: rows.map((row) => stateVersionOf(parts, row, reader)),
    page: pageInfo(page, counted.rows[0]?.total ?? 0),
    ...(withOutputs ? await included(parts, rows) : {}),
  };
}

interface Shown {
  readonly outputs: boolean;
  readonly origin: string;
}

async function show(
  parts: WorkspaceParts,
  { levels, standing: { caller } }: FoundWorkspace,
  id: string | null,
  { outputs: withOutputs, origin }: Shown,
): Promise<ApiReply> {
  if (id === null) throw notFound();
  const row = await readStateVersion(parts.store.db, id);
  return {
    data: stateVersionOf(parts, row, { origin, level: levels.state_versions, caller }),
    ...(withOutputs ? await included(parts, [row]) : {}),
  };
}

async function included({ store }: WorkspaceParts, versions: readonly StateVersionRow[]) {
  const rows = await outputsOfVersions(
    store,
    versions.map(({ id }) => id),
  );
  return { included: rows.map((row) => outputOf(store, row, { hidden: true })) };
}
