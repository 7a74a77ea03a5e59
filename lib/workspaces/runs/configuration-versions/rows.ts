import { sql } from 'kysely';
import { attributesOf } from '../../../path/jsonapi/body.ts';
import { notFound, transitionRefused } from '../../../path/jsonapi/error.ts';
import { flag } from '../../../path/jsonapi/fields.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { runLevels } from '../../access/levels.ts';
import { type FoundWorkspace, findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { blobReply } from '../../states/blobs/read.ts';
import { readRun } from '../runs/store.ts';
import { timeOfStatement } from '../runs/transition.ts';
import { configurationFileRow } from './files.ts';
import { type ConfigurationVersionRow, configurationVersionsWhere, readConfigurationVersion } from './store.ts';
import { configurationVersionOf, uploadAddress } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/configuration-versions';
const one = '/api/v2/configuration-versions/:configuration_version_id';

/** Configuration versions of workspaces: what runs are made from. */
export const configurationVersionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  configurationFileRow(parts),
  {
    method: 'GET',
    path: ofWorkspace,
    summary: 'Configuration versions of a workspace',
    run: (call) => list(parts, call),
  },
  { method: 'POST', path: ofWorkspace, summary: 'Makes a configuration version', run: (call) => create(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'A configuration version',
    async run(call) {
      const { row } = await find(parts, call, idIn(call), runLevels.read);
      return { data: configurationVersionOf(row) };
    },
  },
  {
    method: 'GET',
    path: `${one}/ingress-attributes`,
    summary: 'The commit of a configuration version: none comes from a repository',
    async run(call) {
      await find(parts, call, idIn(call), runLevels.read);
      throw notFound();
    },
  },
  {
    method: 'GET',
    path: `${one}/download`,
    summary: 'The archive of a configuration version',
    run: (call) => download(parts, call, idIn(call)),
  },
  {
    method: 'GET',
    path: '/api/v2/runs/:run_id/configuration-version/download',
    summary: 'The archive that a run is made from',
    async run(call) {
      const { configuration_version_id } = await readRun(parts.store.db, call.parameters['run_id'] ?? '');
      return download(parts, call, configuration_version_id ?? '');
    },
  },
  {
    method: 'POST',
    path: `${one}/actions/archive`,
    summary: 'Removes the archive of a configuration version',
    run: (call) => archive(parts, call),
  },
];

const idIn = ({ parameters }: ApiCall): string => parameters['configuration_version_id'] ?? '';

async function find(
  { store }: WorkspaceParts,
  { caller }: ApiCall,
  id: string,
  level: number,
): Promise<FoundWorkspace & { readonly row: ConfigurationVersionRow }> {
  const row = await readConfigurationVersion(store.db, id);
  const found = await findWorkspace(store, caller, { workspace_id: row.workspace_id });
  mustHave(found.levels.runs >= level);
  return { ...found, row };
}

async function list(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { db } = parts.store;
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace } = await findWorkspace(parts.store, call.caller, by);
  const page = pageOf(call.query);
  const rows = await configurationVersionsWhere(db, sql`c.workspace_id = ${workspace.id}`, page);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ws_configuration_versions where workspace_id = ${workspace.id}`.execute(db);
  return {
    data: rows.map((row) => configurationVersionOf(row)),
    page: told(page, counted.rows[0]?.total ?? 0),
  };
}

const fields = {
  'auto-queue-runs': flag().nullable(),
  speculative: flag().nullable(),
  provisional: flag().nullable(),
};

async function create(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { store } = parts;
  const { caller } = call;
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, levels } = await findWorkspace(store, caller, by);
  mustHave(levels.runs >= runLevels.plan);
  const sent = attributesOf(call, undefined, fields);
  const id = newId('cv');
  const [speculative, provisional] = [sent.speculative ?? false, sent.provisional ?? false];
  // A provisional one becomes current when a run has applied it, a speculative one never.
  await sql`
    with made as (
      insert into ws_configuration_versions
        (id, workspace_id, auto_queue_runs, speculative, provisional, created_by_kind, created_by, timestamps)
      values (${id}, ${workspace.id}, ${sent['auto-queue-runs'] ?? true}, ${speculative}, ${provisional}, ${caller.kind},
              ${caller.id}, jsonb_build_object('queued-at', ${timeOfStatement}))
      returning id, workspace_id)
    update ws_workspaces w set current_configuration_version_id = made.id from made
     where w.id = made.workspace_id and not (${speculative} or ${provisional})`.execute(store.db);
  const row = await readConfigurationVersion(store.db, id);
  return { status: 201, data: configurationVersionOf(row, uploadAddress(parts, call, id)) };
}

async function download(parts: WorkspaceParts, call: ApiCall, id: string): Promise<ApiReply> {
  const { row } = await find(parts, call, id, runLevels.read);
  return blobReply(parts.store, row.blob_id);
}

async function archive(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { store } = parts;
  const id = idIn(call);
  await find(parts, call, id, runLevels.plan);
  await store.transaction(async (tx) => {
    const { rows } = await sql<{ blob_id: string | null }>`
      update ws_configuration_versions c set status = 'archived' where id = ${id} and status = 'uploaded'
         and not exists (select 1 from ws_workspaces w where w.current_configuration_version_id = c.id and w.id = c.workspace_id)
      returning blob_id`.execute(tx);
    const [row] = rows;
    if (row === undefined)
      throw transitionRefused(
        'configuration could not be archived because it is current, or because it has no archive',
      );
    await sql`delete from ws_blobs where id = ${row.blob_id}`.execute(tx);
  });
  return { status: 202 };
}
