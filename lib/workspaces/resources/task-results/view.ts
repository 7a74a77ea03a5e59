import type { RawBuilder } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, oneOf, text, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsTaskResultsTable, wsTaskStagesTable } from '#store/tables/runs.ts';
import { taskStages } from '../run-tasks/fields.ts';

/**
 * A result waits for its service (`pending`), is worked on (`running`), and ends: as the service says (`passed`, `failed`), without a word from
 * it (`errored`), without reaching it (`unreachable`), or with the run (`canceled`).
 */
export const resultStatuses = ['pending', 'running', 'passed', 'failed', 'errored', 'unreachable', 'canceled'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

export type StageRow = RowOf<typeof stageColumns>;

export const stageColumns = {
  ...wsTaskStagesTable,
  stage: oneOf(...taskStages),
  status: oneOf('pending', 'running', 'awaiting_override', 'passed', 'failed', 'canceled', 'unreachable'),
  timestamps: textMap,
  result_ids: arrayOf(text),
  evaluation_ids: arrayOf(text),
};

export type ResultRow = RowOf<typeof resultColumns>;

export const resultColumns = {
  ...wsTaskResultsTable,
  status: oneOf(...resultStatuses),
  timestamps: textMap,
  stage: oneOf(...taskStages),
};

type Db = Pick<Store, 'db'>['db'];

/** Stages `s` that meet a condition, in the order in which runs come to them. A run has at most four. */
export async function stagesWhere(db: Db, condition: RawBuilder<unknown>): Promise<readonly StageRow[]> {
  const { rows } = await rowsOf(stageColumns)`
    select s.*, array(select t.id from ws_task_results t where t.stage_id = s.id order by t.id) as result_ids,
           array(select e.id from ws_policy_evaluations e where e.stage_id = s.id order by e.id) as evaluation_ids
      from ws_task_stages s where ${condition} order by s.run_id, array_position(${[...taskStages]}::text[], s.stage)`.execute(
    db,
  );
  return rows;
}

/** Results `t` that meet a condition. A stage has at most 20. */
export async function resultsWhere(db: Db, condition: RawBuilder<unknown>): Promise<readonly ResultRow[]> {
  const { rows } = await rowsOf(resultColumns)`
    select t.*, s.stage from ws_task_results t join ws_task_stages s on s.id = t.stage_id
     where ${condition} order by t.id`.execute(db);
  return rows;
}

/** `mayOverride`: whether the caller may override policies in this workspace. */
export const stageOf = (row: StageRow, mayOverride: boolean): Resource => ({
  id: row.id,
  type: 'task-stages',
  attributes: {
    stage: row.stage,
    status: row.status,
    'status-timestamps': row.timestamps,
    'created-at': timeText(row.created_at),
    'updated-at': timeText(row.updated_at),
    actions: { 'is-overridable': row.status === 'awaiting_override' },
    permissions: { 'can-override': mayOverride, 'can-override-policy': mayOverride, 'can-override-tasks': false },
  },
  relationships: {
    run: toOne('runs', row.run_id),
    'task-results': toMany('task-results', row.result_ids),
    'policy-evaluations': toMany('policy-evaluations', row.evaluation_ids),
  },
  links: { self: `/api/v2/task-stages/${row.id}` },
});

export const resultOf = (row: ResultRow): Resource => ({
  id: row.id,
  type: 'task-results',
  attributes: {
    status: row.status,
    message: row.message,
    url: row.url === '' ? null : row.url,
    'status-timestamps': row.timestamps,
    'created-at': timeText(row.created_at),
    'updated-at': timeText(row.updated_at),
    'task-id': row.task_id,
    'task-name': row.task_name,
    'task-url': row.task_url,
    stage: row.stage,
    'workspace-task-id': row.workspace_task_id,
    'workspace-task-enforcement-level': row.enforcement_level,
  },
  relationships: { 'task-stage': toOne('task-stages', row.stage_id) },
  links: { self: `/api/v2/task-results/${row.id}` },
});
