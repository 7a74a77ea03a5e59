import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { assessmentsWhere } from '../assessments/store.ts';
import { assessmentOf } from '../assessments/view.ts';
import { blobReply } from '../state-blobs/read.ts';
import { workspaceDocument } from '../workspaces/document.ts';
import { beginAssessment } from './begin.ts';

const one = '/api/v2/assessment-results/:assessment_result_id';

/** Assessments of workspaces: whether their resources have drifted, and whether their checks hold. */
export const assessmentRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/workspaces/:workspace_id/actions/assess',
    summary: 'Begin an assessment of a workspace',
    needs: { workspace: 'admin' },
    replies: { 200: 'workspaces', 409: 'The workspace is locked, has an active run, or is being assessed' },
    async run({ found }) {
      const { id } = found.workspace;
      await parts.store.transaction(async (tx) => {
        await holdWorkspace(tx, id);
        await beginAssessment(tx, parts.store, id);
      });
      return { data: await workspaceDocument(parts, found) };
    },
  }),
  operation({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/current-assessment-result',
    summary: 'Read the last assessment of a workspace',
    needs: { workspace: 'read-runs' },
    replies: { 200: 'assessment-results' },
    run: ({ found }) => shown(parts.store, sql`a.workspace_id = ${found.workspace.id}`),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read an assessment',
    needs: { workspace: 'read-runs' },
    replies: { 200: 'assessment-results' },
    run: ({ parameters }) => shown(parts.store, sql`a.id = ${parameters.assessment_result_id}`),
  }),
  ...fileRows(parts),
];

/** The plan and its log hold values of the resources, so they take the right to administer the workspace. */
const fileRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: `${one}/json-output`,
    summary: 'Read the JSON form of the plan of an assessment',
    needs: { workspace: 'admin' },
    replies: { 200: { mediaType: 'application/json' } },
    run: async ({ parameters }) =>
      blobReply(store, (await filesOf(store, parameters.assessment_result_id)).plan, 'application/json'),
  }),
  operation({
    method: 'GET',
    path: `${one}/log-output`,
    summary: 'Read the log of an assessment',
    needs: { workspace: 'admin' },
    replies: { 200: { mediaType: 'text/plain' } },
    run: async ({ parameters }) =>
      blobReply(store, (await filesOf(store, parameters.assessment_result_id)).log, 'text/plain; charset=utf-8'),
  }),
];

/** The newest finished assessment that meets a condition. @throws ApiError 404 */
async function shown({ db }: Pick<Store, 'db'>, condition: ReturnType<typeof sql>): Promise<ApiReply> {
  const [row] = await assessmentsWhere(db, sql`${condition} and a.succeeded is not null`, 1);
  if (row === undefined) throw notFound();
  return { data: assessmentOf(row) };
}

async function filesOf({ db }: Pick<Store, 'db'>, id: string) {
  const { rows } = await rowsOf({ plan: nullable(text), log: nullable(text) })`
    select j.plan_json_id as plan, r.plan_log_id as log
      from ws_assessments a join ws_runs r on r.id = a.run_id left join ws_run_jobs j on j.run_id = r.id and j.part = 'plan'
     where a.id = ${id} and a.succeeded is not null`.execute(db);
  return rows[0] ?? { plan: null, log: null };
}
