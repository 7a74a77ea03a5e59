import { sql } from 'kysely';
import { type Resource, timeText } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { runLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { creatorOf } from '../../states/state-versions/view.ts';
import { runActionRows } from './actions.ts';
import { commentRows } from './comments/rows.ts';
import { createRun } from './create/create.ts';
import { includedWith } from './list/include.ts';
import { listRuns, listRunsOfOrganization } from './list/list.ts';
import { queueRows } from './list/queue.ts';
import { reportRows } from './report/rows.ts';
import { eventsMax, findRun } from './store.ts';
import { runOf } from './view.ts';

const one = '/api/v2/runs/:run_id';

/** Runs of workspaces. Agents outside do the work and say what became of it. */
export const runRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...runActionRows(parts),
  ...reportRows(parts),
  { method: 'POST', path: '/api/v2/runs', summary: 'Makes a run', run: (call) => createRun(parts, call) },
  {
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/runs',
    summary: 'Runs of a workspace',
    run: (call) => listRuns(parts, call),
  },
  {
    method: 'GET',
    path: '/api/v2/organizations/:organization_name/runs',
    summary: 'Runs of an organization',
    run: (call) => listRunsOfOrganization(parts, call),
  },
  ...queueRows(parts),
  ...commentRows(parts),
  { method: 'GET', path: one, summary: 'A run', run: (call) => show(parts, call) },
  { method: 'GET', path: `${one}/run-events`, summary: 'What happened to a run', run: (call) => events(parts, call) },
];

async function show(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const found = await findRun(parts.store, call.caller, call.parameters['run_id'] ?? '', runLevels.read);
  const { run, levels } = found;
  return { data: runOf(parts, run, levels), ...(await includedWith(parts, call, [run], [found])) };
}

interface EventRow {
  readonly id: string;
  readonly action: string;
  readonly created_by_kind: string | null;
  readonly created_by: string | null;
  readonly created_at: Date;
}

async function events({ store }: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { run } = await findRun(store, call.caller, call.parameters['run_id'] ?? '', runLevels.read);
  const { rows } = await sql<EventRow>`
    select id, action, created_by_kind, created_by, created_at from ws_run_events where run_id = ${run.id}
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
