import { sql } from 'kysely';
import { badRequest, notFound, notYet } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { stateLevels } from '../../access/levels.ts';
import { type FoundWorkspace, findWorkspace, mustHave, type WorkspaceName } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { backingDataRows } from './backing-data.ts';
import { createStateVersion } from './create.ts';
import { stateStatuses } from './fields.ts';
import { stateFileRows } from './files.ts';
import { type OutputRow, outputOf, outputsOfVersions } from './outputs.ts';
import { resourceRow } from './resources.ts';
import { rollBack } from './rollback.ts';
import { findStateVersion, readStateVersion, type StateVersionRow, stateVersionsWhere } from './store.ts';
import { stateVersionOf } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/state-versions';
const current = '/api/v2/workspaces/:workspace_id/current-state-version';
const one = '/api/v2/state-versions/:state_version_id';

/** State versions of workspaces and their outputs (reference, workspaces 4). */
export const stateVersionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...stateFileRows(parts),
  ...backingDataRows(parts),
  resourceRow(parts),
  {
    method: 'POST',
    path: ofWorkspace,
    summary: 'Makes a state version',
    run: (call) => createStateVersion(parts, call),
  },
  { method: 'PATCH', path: ofWorkspace, summary: 'Goes back to a state version', run: (call) => rollBack(parts, call) },
  {
    method: 'GET',
    path: ofWorkspace,
    summary: 'State versions of a workspace',
    run: (call) => list(parts, call, named(call)),
  },
  {
    method: 'GET',
    path: '/api/v2/state-versions',
    summary: 'State versions of the named workspace',
    run: (call) => list(parts, call, filtered(call)),
  },
  {
    method: 'GET',
    path: one,
    summary: 'A state version',
    async run(call) {
      const id = call.parameters['state_version_id'] ?? '';
      const { version, levels } = await findStateVersion(parts.store, call.caller, id, stateLevels.read);
      return shown(parts, call, version, levels.state_versions);
    },
  },
  {
    method: 'GET',
    path: current,
    summary: 'The current state version of a workspace',
    async run(call) {
      const { workspace, levels } = await reading(parts, call, named(call), stateLevels.read);
      if (workspace.current_state_version_id === null) throw notFound();
      const version = await readStateVersion(parts.store.db, workspace.current_state_version_id);
      return shown(parts, call, version, levels.state_versions);
    },
  },
  {
    method: 'GET',
    path: `${current}-outputs`,
    summary: 'Outputs of the current state of a workspace',
    async run(call) {
      const { workspace } = await reading(parts, call, named(call), stateLevels['read-outputs']);
      if (workspace.current_state_version_id === null) throw notFound();
      const version = await readStateVersion(parts.store.db, workspace.current_state_version_id);
      if (!version.resources_processed) throw notYet('The outputs of the state are still being read');
      return listed(parts, call, await outputsOfVersions(parts.store, [version.id]), { hidden: true });
    },
  },
  {
    method: 'GET',
    path: `${one}/outputs`,
    summary: 'Outputs of a state version',
    async run(call) {
      const id = call.parameters['state_version_id'] ?? '';
      const { version } = await findStateVersion(parts.store, call.caller, id, stateLevels['read-outputs']);
      return listed(parts, call, await outputsOfVersions(parts.store, [version.id]), { hidden: false });
    },
  },
  {
    method: 'GET',
    path: '/api/v2/state-version-outputs/:output_id',
    summary: 'An output of a state version',
    run: (call) => output(parts, call),
  },
];

const named = ({ parameters }: ApiCall): WorkspaceName => ({ workspace_id: parameters['workspace_id'] ?? '' });

function filtered({ query }: ApiCall): WorkspaceName {
  const organization = query.get('filter[organization][name]');
  const name = query.get('filter[workspace][name]');
  if (organization === null || name === null)
    throw badRequest('filter[organization][name] and filter[workspace][name] are required');
  return { organization, name };
}

async function reading(
  { store }: WorkspaceParts,
  { caller }: ApiCall,
  by: WorkspaceName,
  level: number,
): Promise<FoundWorkspace> {
  const found = await findWorkspace(store, caller, by);
  mustHave(found.levels.state_versions >= level);
  return found;
}

async function list(parts: WorkspaceParts, call: ApiCall, by: WorkspaceName): Promise<ApiReply> {
  const { workspace, levels } = await reading(parts, call, by, stateLevels.read);
  const status = call.query.get('filter[status]') ?? '';
  if (status !== '' && !stateStatuses.safeParse(status).success)
    throw badRequest(`filter[status] has to be one of ${stateStatuses.options.join(', ')}`);
  const page = pageOf(call.query);
  const condition = sql`s.workspace_id = ${workspace.id} and (${status} = '' or s.status = ${status})`;
  const { db } = parts.store;
  const rows = await stateVersionsWhere(db, condition, page);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ws_state_versions s where ${condition}`.execute(db);
  const reader = { origin: call.origin, level: levels.state_versions, caller: call.caller };
  return {
    data: rows.map((row) => stateVersionOf(parts, row, reader)),
    page: told(page, counted.rows[0]?.total ?? 0),
    ...(await included(parts, call, rows)),
  };
}

async function shown(parts: WorkspaceParts, call: ApiCall, row: StateVersionRow, level: number): Promise<ApiReply> {
  return {
    data: stateVersionOf(parts, row, { origin: call.origin, level, caller: call.caller }),
    ...(await included(parts, call, [row])),
  };
}

/** `include=outputs`; other names are ignored. */
async function included({ store }: WorkspaceParts, { query }: ApiCall, versions: readonly StateVersionRow[]) {
  if (!(query.get('include') ?? '').split(',').includes('outputs')) return {};
  const rows = await outputsOfVersions(
    store,
    versions.map(({ id }) => id),
  );
  return { included: rows.map((row) => outputOf(store, row, { hidden: true })) };
}

function listed(
  { store }: WorkspaceParts,
  { query }: ApiCall,
  rows: readonly OutputRow[],
  hiding: { readonly hidden: boolean },
): ApiReply {
  const page = pageOf(query);
  const onPage = rows.slice(page.offset, page.offset + page.size);
  return { data: onPage.map((row) => outputOf(store, row, hiding)), page: told(page, rows.length) };
}

/** With its value: who reads sensitive outputs asks for them one by one. */
async function output(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { rows } = await sql<OutputRow>`
    select id, state_version_id, name, sensitive, type, detailed_type, value from ws_state_outputs
     where id = ${call.parameters['output_id'] ?? ''}`.execute(parts.store.db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  await findStateVersion(parts.store, call.caller, row.state_version_id, stateLevels['read-outputs']);
  return { data: outputOf(parts.store, row, { hidden: false }) };
}
