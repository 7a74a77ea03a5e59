import { sql, type Transaction } from 'kysely';
import { conflict } from '#path/jsonapi/error.ts';
import { otherBody } from '#path/jsonapi/input.ts';
import type { ApiCaller, ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { addComment, commentIn } from '../comments/write.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import {
  atWork,
  cancelable,
  confirmable,
  isBeingCanceled,
  isDiscardable,
  stageStatus,
} from '../run-lifecycle/status.ts';
import { isQueued, oldestFirst, type RunRow, runsWhere } from '../run-lifecycle/store.ts';
import { addEvent, takeLock, timeOfStatement, transition } from '../run-lifecycle/transition.ts';

type Tx = Transaction<Database>;
type Act = (tx: Tx, run: RunRow, caller: ApiCaller) => Promise<void>;

/** User actions on runs. Each answers 202, or 409 when the status of the run does not allow it. */
export const runActionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  action(parts, 'apply', 'Confirm a plan', confirm),
  action(parts, 'discard', 'Discard a plan', discard),
  action(parts, 'cancel', 'Cancel a run', cancel),
  action(parts, 'force-execute', 'Cancel the runs in front of a waiting run', forceExecute),
  action(parts, 'force-cancel', 'Cancel a run whose agent does not respond', forceCancel, 'force-cancel'),
];

/** At least as many as may be active in one workspace. */
const runsCanceledMax = 1_000;

const accepted: ApiReply = { status: 202 };

function action(
  { store }: WorkspaceParts,
  name: string,
  summary: string,
  change: Act,
  right: 'apply' | 'force-cancel' = 'apply',
): ApiRow {
  return operation({
    method: 'POST',
    path: `/api/v2/runs/:run_id/actions/${name}`,
    summary,
    needs: { workspace: right },
    body: commentBody,
    replies: { 202: null, 409: 'The status of the run does not allow it' },
    run: async ({ caller, found, parameters, body: comment }) => {
      const run = { id: parameters.run_id, workspace_id: found.workspace.id };
      await changeRun({ store }, run, async (tx, now) => {
        await change(tx, now, caller);
        if (comment !== undefined) await addComment(tx, now.id, comment, caller);
      });
      return accepted;
    },
  });
}

/** `{"comment": "…"}`, which clients may leave out. */
const commentBody = otherBody(
  { schema: { type: 'object', properties: { comment: { type: 'string' } } }, optional: true },
  commentIn,
);

async function confirm(tx: Tx, run: RunRow, caller: ApiCaller): Promise<void> {
  if (!confirmable.includes(run.status))
    throw conflict('This run cannot be applied: it has no plan that waits for confirmation');
  // A saved plan does not hold the lock yet.
  if (!(await takeLock(tx, run))) throw conflict('This run cannot be applied: the workspace is locked');
  await sql`
    update ws_runs set confirmed_by_kind = ${caller.kind}, confirmed_by = ${caller.id} where id = ${run.id}`.execute(
    tx,
  );
  await transition(tx, run, 'confirmed', caller);
}

async function discard(tx: Tx, run: RunRow, caller: ApiCaller): Promise<void> {
  if (!isDiscardable(run)) throw conflict('This run cannot be discarded');
  await transition(tx, run, 'discarded', caller);
}

/** An agent in the middle of a plan or apply ends the run when it learns of the request; until then it may still write state. */
async function cancel(tx: Tx, run: RunRow, caller: ApiCaller): Promise<void> {
  if (!cancelable.includes(run.status)) throw conflict('This run cannot be canceled');
  if (!atWork.includes(run.status) || stageStatus(run) !== undefined) {
    await transition(tx, run, 'canceled', caller);
    return;
  }
  if (isBeingCanceled(run)) throw conflict('This run is being canceled already');
  await sql`
    update ws_runs set updated_at = now(),
           timestamps = timestamps || jsonb_build_object('cancel-requested-at', ${timeOfStatement})
     where id = ${run.id}`.execute(tx);
  await addEvent(tx, run.id, 'cancel_requested', caller);
}

async function forceCancel(tx: Tx, run: RunRow, caller: ApiCaller): Promise<void> {
  if (!atWork.includes(run.status) || !isBeingCanceled(run))
    throw conflict('This run cannot be canceled by force: cancel it first');
  await transition(tx, run, 'canceled', caller);
}

/** Runs being applied go on: canceling them could leave resources that no state knows. */
async function forceExecute(tx: Tx, run: RunRow, caller: ApiCaller): Promise<void> {
  if (run.status !== 'pending' || run.plan_only)
    throw conflict('This run cannot be executed by force: it does not wait for other runs');
  const before = await runsWhere(
    tx,
    sql`r.workspace_id = ${run.workspace_id} and ${isQueued('r')} and r.position < (
      select position from ws_runs where id = ${run.id})`,
    { size: runsCanceledMax, offset: 0 },
    oldestFirst,
  );
  const applying = before.find(({ status }) => status === 'applying');
  if (applying !== undefined)
    throw conflict(`This run cannot be executed by force: ${applying.id} is being applied; cancel it first`);
  for (const one of before) await transition(tx, one, 'canceled', caller);
}
