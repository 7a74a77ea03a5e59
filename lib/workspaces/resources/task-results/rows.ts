import { sql } from 'kysely';
import type { Attributes } from '#path/jsonapi/body.ts';
import { invalidAttribute, notFound } from '#path/jsonapi/error.ts';
import { oneOf, text } from '#path/jsonapi/fields.ts';
import { document } from '#path/jsonapi/input.ts';
import { includes } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import { overridesPolicies } from '../../access/permissions.ts';
import type { TaskCaller } from '../../access/task.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { evaluationsWhere } from '../policy-evaluations/store.ts';
import { evaluationOf } from '../policy-evaluations/view.ts';
import { say } from './settle.ts';
import { resultOf, resultsWhere, type StageRow, stageOf, stagesWhere } from './view.ts';

/** What the service of a task may say. */
const callbackFields = {
  status: oneOf(['running', 'passed', 'failed']),
  message: text(1_024).nullable(),
  url: text(2_048)
    .refine((url) => url === '' || (/^https?:\/\//i.test(url) && URL.canParse(url)), 'must be an http or https address')
    .nullable(),
};

const include = includes(['task_results', 'policy_evaluations']);

/** The stages at which runs ask run tasks, their results, and the callback of the services. */
export const taskResultRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/runs/:run_id/task-stages',
    summary: 'List the stages at which a run asks run tasks',
    needs: { workspace: 'read-runs' },
    query: { include },
    replies: { 200: ['task-stages'] },
    async run({ found, parameters, query }) {
      const rows = await stagesWhere(parts.store.db, sql`s.run_id = ${parameters.run_id}`);
      return {
        data: rows.map((row) => stageOf(row, overridesPolicies(found))),
        ...(await includedWith(parts, rows, query.include)),
      };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/task-stages/:task_stage_id',
    summary: 'Read a stage at which a run asks run tasks',
    needs: { workspace: 'read-runs' },
    query: { include },
    replies: { 200: 'task-stages' },
    async run({ found, parameters, query }) {
      const [row] = await stagesWhere(parts.store.db, sql`s.id = ${parameters.task_stage_id}`);
      if (row === undefined) throw notFound();
      return { data: stageOf(row, overridesPolicies(found)), ...(await includedWith(parts, [row], query.include)) };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/task-results/:task_result_id',
    summary: 'Read the result of a run task',
    needs: { workspace: 'read-runs' },
    replies: { 200: 'task-results' },
    run: ({ parameters }) => one(parts, parameters.task_result_id),
  }),
  operation({
    method: 'PATCH',
    path: '/api/v2/task-results/:task_result_id/callback',
    summary: 'Report progress or the result of a run task, as its service',
    needs: { 'task-result': 'report' },
    body: document({ type: 'task-results', attributes: callbackFields }),
    replies: { 200: 'task-results' },
    run: ({ found, body }) => called(parts, found, body.attributes),
  }),
];

async function called(
  parts: WorkspaceParts,
  caller: TaskCaller,
  { status, message, url }: Attributes<typeof callbackFields>,
): Promise<ApiReply> {
  if (status === undefined) throw invalidAttribute('status', "Status can't be blank");
  const said = { status, message: message ?? undefined, url: url ?? undefined };
  // The token ends with the result.
  if (!(await say(parts.store, caller, said))) throw notFound();
  return one(parts, caller.id);
}

async function one({ store }: WorkspaceParts, id: string): Promise<ApiReply> {
  const [row] = await resultsWhere(store.db, sql`t.id = ${id}`);
  if (row === undefined) throw notFound();
  return { data: resultOf(row) };
}

async function includedWith({ store }: WorkspaceParts, stages: readonly StageRow[], asked: ReadonlySet<string>) {
  if (asked.size === 0) return {};
  const ids = sql`any((select ${stages.map(({ id }) => id)}::text[])::text[])`;
  const results = asked.has('task_results') ? await resultsWhere(store.db, sql`t.stage_id = ${ids}`) : [];
  const evaluations = asked.has('policy_evaluations') ? await evaluationsWhere(store.db, sql`e.stage_id = ${ids}`) : [];
  return { included: [...results.map(resultOf), ...evaluations.map(evaluationOf)] };
}
