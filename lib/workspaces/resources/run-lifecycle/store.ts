import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { notFound } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { arrayOf, int, jsonOf, nullable, oneOf, partialJsonOf, text, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsRunsTable } from '#store/tables/runs.ts';
import { callerKind } from '../../access/bearer.ts';
import { queuedStatuses, runStatuses, type StageStatus, stageStatuses } from './status.ts';

const texts = z.array(z.string()).readonly();

/** The requested settings of a run, by their API names. */
export type RunSettings = Readonly<z.infer<typeof runSettings>>;

const runSettings = z.strictObject({
  'is-destroy': z.boolean(),
  refresh: z.boolean(),
  'refresh-only': z.boolean(),
  'save-plan': z.boolean(),
  'allow-empty-apply': z.boolean(),
  'allow-config-generation': z.boolean(),
  'target-addrs': texts.nullable(),
  'replace-addrs': texts.nullable(),
  'policy-paths': texts.nullable(),
  'engine-version': z.string().nullable(),
  'trigger-reason': z.string(),
});

/** An agent's report on a plan or an apply; empty before the start. */
export type Outcome = z.infer<typeof outcome>;

const outcome = z
  .strictObject({
    status: z.enum(['running', 'finished', 'errored', 'canceled']).exactOptional(),
    /** The id of the caller that reported last. */
    agent: z.string().exactOptional(),
    'has-changes': z.boolean().exactOptional(),
    'resource-additions': z.number().exactOptional(),
    'resource-changes': z.number().exactOptional(),
    'resource-destructions': z.number().exactOptional(),
    'resource-imports': z.number().exactOptional(),
    /** Times by status, such as `finished-at`. */
    timestamps: z.record(z.string(), z.string()).readonly().exactOptional(),
  })
  .readonly();

/** A run as stored. */
export type RunRow = RowOf<typeof runColumns>;

const runColumns = {
  ...wsRunsTable,
  status: oneOf(...runStatuses),
  created_by_kind: nullable(callerKind),
  /** Null for a run that is unconfirmed or applied automatically. */
  confirmed_by_kind: nullable(callerKind),
  settings: partialJsonOf(runSettings),
  timestamps: textMap,
  plan: jsonOf(outcome),
  apply: jsonOf(outcome),
  /** The number of runs of the workspace ahead of it in the queue. */
  ahead: int,
  event_ids: arrayOf(text),
  comment_ids: arrayOf(text),
  task_stage_ids: arrayOf(text),
};

/** The condition for active runs, worded exactly as in the partial index. */
export const isActive = (alias: string): RawBuilder<unknown> =>
  sql.raw(
    `${alias}.status not in ('applied', 'planned_and_finished', 'planned_and_saved', 'discarded', 'canceled', 'errored')`,
  );

/** The condition for active runs that hold or will hold the lock. */
export const isQueued = (alias: string): RawBuilder<unknown> =>
  sql`(${isActive(alias)} and not ${sql.ref(`${alias}.plan_only`)})`;

/** The condition for runs that ask run tasks at a stage. */
export function isAsking(alias: string, name: StageStatus): RawBuilder<unknown> {
  const { stored, since, until } = stageStatuses[name];
  const timestamps = sql.ref(`${alias}.timestamps`);
  return sql`(${sql.ref(`${alias}.status`)} = ${sql.lit(stored)} and ${timestamps} ? ${sql.lit(since)} and not ${timestamps} ? ${sql.lit(until)})`;
}

/** The status that clients see. */
export const shownStatus = (alias: string): RawBuilder<unknown> => {
  const [status, timestamps] = [sql.ref(`${alias}.status`), sql.ref(`${alias}.timestamps`)];
  const queued = Object.entries(queuedStatuses).map(
    ([name, { stored, since }]) =>
      sql`when ${status} = ${sql.lit(stored)} and ${timestamps} ? ${sql.lit(since)} then ${sql.lit(name)}`,
  );
  const asking = Object.keys(stageStatuses).map(
    (name) => sql`when ${isAsking(alias, name as StageStatus)} then ${sql.lit(name)}`,
  );
  return sql`case ${sql.join([...asking, ...queued], sql` `)} else ${status} end`;
};

/** The condition for runs whose shown status is one of several. */
export const isShownAs = (alias: string, statuses: readonly string[]): RawBuilder<unknown> =>
  sql`${shownStatus(alias)} = any(${statuses}::text[])`;

/** Events shown of one run. */
export const eventsMax = 100;
/** Comments on one run. Each is also an event. */
export const commentsMax = 50;

const columns = sql`r.*, case when r.status <> 'pending' then 0 else (
  select count(*)::int from ws_runs a
   where a.workspace_id = r.workspace_id and a.position < r.position and ${isQueued('a')}) end as ahead,
  array(select e.id from ws_run_events e where e.run_id = r.id order by e.position limit ${eventsMax}) as event_ids,
  array(select c.id from ws_run_comments c where c.run_id = r.id order by c.position limit ${commentsMax}) as comment_ids,
  array(select s.id from ws_task_stages s where s.run_id = r.id 
         order by array_position(array['pre_plan', 'post_plan', 'pre_apply', 'post_apply'], s.stage)) as task_stage_ids`;

type Db = Pick<Store, 'db'>['db'];

const newestFirst = sql`r.position desc`;
export const oldestFirst = sql`r.position`;

/** Runs `r` that meet a condition, newest first unless another order is given. */
export async function runsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
  order: RawBuilder<unknown> = newestFirst,
): Promise<readonly RunRow[]> {
  const { rows } = await rowsOf(runColumns)`
    select ${columns} from ws_runs r where ${condition} order by ${order} limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readRun(db: Db, id: string): Promise<RunRow> {
  const [row] = await runsWhere(db, sql`r.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}

/** The ids of plans and applies are derived from the id of the run. */
export const planIdOf = (runId: string): string => runId.replace(/^run-/, 'plan-');
export const applyIdOf = (runId: string): string => runId.replace(/^run-/, 'apply-');
export const runIdOf = (partId: string): string => partId.replace(/^(plan|apply)-/, 'run-');
