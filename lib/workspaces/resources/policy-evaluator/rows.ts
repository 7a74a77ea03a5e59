import { sql } from 'kysely';
import { notFound, transitionRefused } from '#path/jsonapi/error.ts';
import { otherBody } from '#path/jsonapi/input.ts';
import type { ApiCaller, ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import { overridesPolicies } from '../../access/permissions.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { addComment, commentIn } from '../comments/write.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { addEvent } from '../run-lifecycle/transition.ts';
import { now } from '../run-tasks/stages.ts';
import { goOn } from '../task-results/settle.ts';
import { type StageRow, stageOf, stagesWhere } from '../task-results/view.ts';

/** `{"comment": "…"}`, which clients may leave out. */
const commentBody = otherBody(
  { schema: { type: 'object', properties: { comment: { type: 'string' } } }, optional: true },
  commentIn,
);

/** The override of failed policies. */
export const policyOverrideRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: '/api/v2/task-stages/:task_stage_id/actions/override',
    summary: 'Let a run go on although its policies have failed',
    needs: { workspace: 'override-policies' },
    body: commentBody,
    replies: { 200: 'task-stages', 409: 'The stage does not wait for an override' },
    async run({ caller, found, parameters, body: comment }) {
      await override(parts, await stageNow(parts, parameters.task_stage_id), { caller, found, comment });
      return documentOf(await stageNow(parts, parameters.task_stage_id), found);
    },
  }),
];

async function stageNow({ store }: WorkspaceParts, id: string): Promise<StageRow> {
  const [row] = await stagesWhere(store.db, sql`s.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}

const documentOf = (row: StageRow, found: FoundWorkspace): ApiReply => ({
  data: stageOf(row, overridesPolicies(found)),
});

async function override(
  { store }: WorkspaceParts,
  { id, run_id: runId }: StageRow,
  {
    caller,
    found,
    comment,
  }: { readonly caller: ApiCaller; readonly found: FoundWorkspace; readonly comment: string | undefined },
): Promise<void> {
  await changeRun({ store }, { id: runId, workspace_id: found.workspace.id }, async (tx, run) => {
    const { numAffectedRows } = await sql`
      update ws_task_stages set status = 'passed', updated_at = now(),
             timestamps = timestamps || jsonb_build_object('passed-at', ${now})
       where id = ${id} and status = 'awaiting_override'`.execute(tx);
    if (numAffectedRows === 0n) throw transitionRefused('This stage does not wait for an override');
    await sql`
      update ws_policy_evaluations set status = 'overridden', updated_at = now(),
             timestamps = timestamps || jsonb_build_object('overridden-at', ${now}) where stage_id = ${id}`.execute(tx);
    await addEvent(tx, runId, 'policies_overridden', caller);
    if (comment !== undefined) await addComment(tx, runId, comment, caller);
    await goOn(tx, run, 'post_plan', caller);
  });
}
