import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { notFound, transitionRefused } from '#path/jsonapi/error.ts';
import { flag } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiCaller, ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { timeOfStatement } from '../run-lifecycle/transition.ts';
import { blobReply } from '../state-blobs/read.ts';
import { configurationFileRow } from './files.ts';
import { type ConfigurationVersionRow, configurationVersionsWhere, readConfigurationVersion } from './store.ts';
import { configurationVersionOf, ingressOf, uploadAddress } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/configuration-versions';
const one = '/api/v2/configuration-versions/:configuration_version_id';

const fields = {
  'auto-queue-runs': flag().nullable(),
  speculative: flag().nullable(),
  provisional: flag().nullable(),
};

/** Configuration versions of workspaces: the input of runs. */
export const configurationVersionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  configurationFileRow(parts),
  ...recordRows(parts),
  ...archiveRows(parts),
];

const recordRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  return [
    operation({
      method: 'GET',
      path: ofWorkspace,
      summary: 'List the configuration versions of a workspace',
      needs: { workspace: 'read' },
      query: { page: paged() },
      replies: { 200: ['configuration-versions'] },
      run: ({ found, query }) => list(store, found.workspace.id, query.page),
    }),
    operation({
      method: 'POST',
      path: ofWorkspace,
      summary: 'Create a configuration version',
      needs: { workspace: 'plan' },
      body: document({ attributes: fields }),
      replies: { 201: 'configuration-versions' },
      async run({ found, body: { attributes }, caller, origin }) {
        const row = await create(store, found.workspace.id, caller, attributes);
        const upload = uploadAddress(parts, { origin, caller }, row.id);
        return { status: 201, data: configurationVersionOf(row, upload) };
      },
    }),
    operation({
      method: 'GET',
      path: one,
      summary: 'Read a configuration version',
      needs: { workspace: 'read-runs' },
      replies: { 200: 'configuration-versions' },
      run: async ({ parameters }) => ({
        data: configurationVersionOf(await readConfigurationVersion(store.db, parameters.configuration_version_id)),
      }),
    }),
    operation({
      method: 'GET',
      path: `${one}/ingress-attributes`,
      summary: 'Read the commit of a configuration version',
      needs: { workspace: 'read-runs' },
      replies: { 200: 'ingress-attributes' },
      run: async ({ parameters }) => {
        const ingress = ingressOf(await readConfigurationVersion(store.db, parameters.configuration_version_id));
        if (ingress === undefined) throw notFound();
        return { data: ingress };
      },
    }),
  ];
};

const archiveRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: `${one}/download`,
    summary: 'Download the archive of a configuration version',
    needs: { workspace: 'read-runs' },
    replies: { 200: { mediaType: 'application/octet-stream' } },
    run: ({ parameters }) => download(store, parameters.configuration_version_id),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/runs/:run_id/configuration-version/download',
    summary: 'Download the archive that a run uses',
    needs: { workspace: 'read-configuration' },
    replies: { 200: { mediaType: 'application/octet-stream' } },
    async run({ parameters }) {
      const { configuration_version_id } = await readRun(store.db, parameters.run_id);
      return download(store, configuration_version_id ?? '');
    },
  }),
  operation({
    method: 'POST',
    path: `${one}/actions/archive`,
    summary: 'Delete the archive of a configuration version',
    needs: { workspace: 'plan' },
    replies: { 202: null },
    run: ({ parameters }) => archive(store, parameters.configuration_version_id),
  }),
];

async function list({ db }: Store, workspaceId: string, page: Page): Promise<ApiReply> {
  const rows = await configurationVersionsWhere(db, sql`c.workspace_id = ${workspaceId}`, page);
  const counted = await rowsOf({ total: int })`
    select count(*)::int as total from ws_configuration_versions where workspace_id = ${workspaceId}`.execute(db);
  return {
    data: rows.map((row) => configurationVersionOf(row)),
    page: pageInfo(page, counted.rows[0]?.total ?? 0),
  };
}

async function create(
  { db }: Store,
  workspaceId: string,
  caller: ApiCaller,
  sent: Attributes<typeof fields>,
): Promise<ConfigurationVersionRow> {
  const id = newId('cv');
  const [speculative, provisional] = [sent.speculative ?? false, sent.provisional ?? false];
  // A provisional version becomes current when a run has applied it, a speculative one never.
  await sql`
    with made as (
      insert into ws_configuration_versions
        (id, workspace_id, auto_queue_runs, speculative, provisional, created_by_kind, created_by, timestamps)
      values (${id}, ${workspaceId}, ${sent['auto-queue-runs'] ?? true}, ${speculative}, ${provisional}, ${caller.kind},
              ${caller.id}, jsonb_build_object('queued-at', ${timeOfStatement}))
      returning id, workspace_id)
    update ws_workspaces w set current_configuration_version_id = made.id from made
     where w.id = made.workspace_id and not (${speculative} or ${provisional})`.execute(db);
  return readConfigurationVersion(db, id);
}

async function download(store: Store, id: string): Promise<ApiReply> {
  const { blob_id } = await readConfigurationVersion(store.db, id);
  return blobReply(store, blob_id);
}

async function archive(store: Store, id: string): Promise<ApiReply> {
  await store.transaction(async (tx) => {
    const { rows } = await rowsOf({ blob_id: nullable(text) })`
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
