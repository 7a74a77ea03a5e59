import { sql } from 'kysely';
import { type Resource, timeText } from '../../../path/jsonapi/resource.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { creatorOf } from '../../states/state-versions/view.ts';
import { configurationVersionsWhere } from '../configuration-versions/store.ts';
import { configurationVersionOf } from '../configuration-versions/view.ts';
import { runActionRows } from './actions.ts';
import { createRun } from './create/create.ts';
import { listRuns, listRunsOfOrganization } from './list/list.ts';
import { reportRows } from './report/rows.ts';
import { partOf } from './report/view.ts';
import { eventsMax, findRun, type RunRow } from './store.ts';
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
  { method: 'GET', path: one, summary: 'A run', run: (call) => show(parts, call) },
  { method: 'GET', path: `${one}/run-events`, summary: 'What happened to a run', run: (call) => events(parts, call) },
];

async function show(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { run, levels } = await findRun(parts.store, call.caller, call.parameters['run_id'] ?? '', runLevels.read);
  return { data: runOf(parts, run, levels), ...(await included(parts, call, run, levels)) };
}

/** Plan, apply and configuration version as far as they are asked for; other names are ignored. */
async function included(parts: WorkspaceParts, { query, origin, caller }: ApiCall, run: RunRow, levels: Levels) {
  const asked = (query.get('include') ?? '').split(',').map((name) => name.replaceAll('-', '_'));
  if (asked.every((name) => name === '')) return {};
  const reader = { origin, levels, caller };
  const configurations = asked.includes('configuration_version')
    ? await configurationVersionsWhere(parts.store.db, sql`c.id = ${run.configuration_version_id}`)
    : [];
  const resources: readonly Resource[] = [
    ...(asked.includes('plan') ? [partOf(parts, run, 'plan', reader)] : []),
    ...(asked.includes('apply') ? [partOf(parts, run, 'apply', reader)] : []),
    ...configurations.map((row) => configurationVersionOf(row)),
  ];
  return { included: resources };
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
