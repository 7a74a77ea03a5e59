import { listQuery } from '#path/jsonapi/query.ts';
import { type Resource, timeText } from '#path/jsonapi/resource.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { pick } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { wsRunEventsTable } from '#store/tables/runs.ts';
import { workspaceIn } from '../../access/needs/named.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { eventsMax, readRun } from '../run-lifecycle/store.ts';
import { runOf } from '../run-lifecycle/view.ts';
import { creatorOf } from '../state-versions/view.ts';
import { runActionRows } from './actions.ts';
import { createRun } from './create.ts';
import { runBody } from './fields.ts';
import { include, includedWith } from './include.ts';
import { listRuns, listRunsOfOrganization, runQuery } from './list.ts';
import { queueRows } from './queue.ts';

/** Runs of workspaces. External agents execute them and report the results. */
export const runRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...runActionRows(parts),
  ...listRows(parts),
  ...queueRows(parts),
  operation({
    method: 'POST',
    path: '/api/v2/runs',
    summary: 'Create a run',
    needs: { workspace: 'plan' },
    body: runBody,
    named: ({ body }) => workspaceIn(body),
    replies: { 201: 'runs' },
    run: ({ found, body }) => createRun(parts, found, body),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/runs/:run_id',
    summary: 'Read a run',
    needs: { workspace: 'read' },
    query: { include },
    replies: { 200: 'runs' },
    run: async ({ found, parameters, query, origin }) => {
      const run = await readRun(parts.store.db, parameters.run_id);
      const included = await includedWith(parts, { asked: query.include, origin, runs: [run], found: [found] });
      return { data: runOf(parts, run, found.levels), ...included };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/runs/:run_id/run-events',
    summary: 'List the events of a run',
    needs: { workspace: 'read' },
    replies: { 200: ['run-events'] },
    run: ({ parameters }) => events(parts, parameters.run_id),
  }),
];

const listRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/runs',
    summary: 'List the runs of a workspace',
    needs: { workspace: 'read' },
    query: runQuery,
    replies: { 200: ['runs'] },
    run: ({ found, query, origin }) => listRuns(parts, found, { ...query, origin }),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/organizations/:organization_name/runs',
    summary: 'List the runs of an organization',
    needs: { organization: 'member' },
    query: { ...runQuery, names: listQuery('filter[workspace_names]', 'Names of workspaces with commas between them') },
    replies: { 200: ['runs'] },
    run: ({ found, query, origin }) => listRunsOfOrganization(parts, found, { ...query, origin }),
  }),
];

const eventColumns = pick(wsRunEventsTable, 'id', 'action', 'created_by_kind', 'created_by', 'created_at');

async function events({ store }: WorkspaceParts, runId: string): Promise<ApiReply> {
  const { rows } = await rowsOf(eventColumns)`
    select id, action, created_by_kind, created_by, created_at from ws_run_events where run_id = ${runId}
     order by position limit ${eventsMax}`.execute(store.db);
  const data = rows.map(
    (row): Resource => ({
      id: row.id,
      type: 'run-events',
      attributes: { action: row.action, description: null, 'created-at': timeText(row.created_at) },
      relationships: { actor: creatorOf(row) },
      links: { self: `/api/v2/run-events/${row.id}` },
    }),
  );
  return { data };
}
