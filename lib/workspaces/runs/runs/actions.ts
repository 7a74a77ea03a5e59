import { sql, type Transaction } from 'kysely';
import { conflict } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { addComment, commentIn } from './comments/write.ts';
import { atWork, cancelable, confirmable, discardable } from './status.ts';
import { findRun, type RunRow, readRun } from './store.ts';
import { addEvent, takeLock, timeOfStatement, transition } from './transition.ts';

type Tx = Transaction<Database>;
type Act = (tx: Tx, run: RunRow, call: ApiCall) => Promise<void>;

/** What people do with a run. Each answers 202, or 409 where the status does not allow it. */
export const runActionRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  action(parts, 'apply', 'Confirms a plan', confirm),
  action(parts, 'discard', 'Gives a plan up', discard),
  action(parts, 'cancel', 'Ends a run', cancel),
  action(parts, 'force-cancel', 'Ends a run whose agent does not answer', forceCancel, ({ admin }) => admin),
];

const accepted: ApiReply = { status: 202 };

function action(
  { store }: WorkspaceParts,
  name: string,
  summary: string,
  change: Act,
  isEnough: (levels: Levels) => boolean = () => true,
): ApiRow {
  return {
    method: 'POST',
    path: `/api/v2/runs/:run_id/actions/${name}`,
    summary,
    async run(call) {
      const { run, levels } = await findRun(store, call.caller, call.parameters['run_id'] ?? '', runLevels.apply);
      mustHave(isEnough(levels));
      const comment = commentIn(call);
      await changeRun({ store }, run, async (tx, now) => {
        await change(tx, now, call);
        if (comment !== undefined) await addComment(tx, now.id, comment, call.caller);
      });
      return accepted;
    },
  };
}

/** Changes a run as it is now, one change after the other. */
export const changeRun = (
  { store }: Pick<WorkspaceParts, 'store'>,
  { id, workspace_id }: Pick<RunRow, 'id' | 'workspace_id'>,
  change: (tx: Tx, run: RunRow) => Promise<void>,
): Promise<void> =>
  store.transaction(async (tx) => {
    await holdWorkspace(tx, workspace_id);
    await change(tx, await readRun(tx, id));
  });

async function confirm(tx: Tx, run: RunRow, { caller }: ApiCall): Promise<void> {
  if (!confirmable.includes(run.status)) throw conflict('This run cannot be applied: it has no plan that waits for it');
  // A plan that was kept holds no lock yet.
  if (!(await takeLock(tx, run))) throw conflict('This run cannot be applied: the workspace is locked');
  await sql`
    update ws_runs set confirmed_by_kind = ${caller.kind}, confirmed_by = ${caller.id} where id = ${run.id}`.execute(
    tx,
  );
  await transition(tx, run, 'confirmed', caller);
}

async function discard(tx: Tx, run: RunRow, { caller }: ApiCall): Promise<void> {
  if (!discardable.includes(run.status)) throw conflict('This run cannot be discarded');
  await transition(tx, run, 'discarded', caller);
}

/** An agent that is at work ends the run when it hears of it: until then it may still write state. */
async function cancel(tx: Tx, run: RunRow, { caller }: ApiCall): Promise<void> {
  if (!cancelable.includes(run.status)) throw conflict('This run cannot be canceled');
  if (!atWork.includes(run.status)) {
    await transition(tx, run, 'canceled', caller);
    return;
  }
  if (run.timestamps['cancel-requested-at'] !== undefined) throw conflict('This run is being canceled already');
  await sql`
    update ws_runs set updated_at = now(),
           timestamps = timestamps || jsonb_build_object('cancel-requested-at', ${timeOfStatement})
     where id = ${run.id}`.execute(tx);
  await addEvent(tx, run.id, 'cancel_requested', caller);
}

async function forceCancel(tx: Tx, run: RunRow, { caller }: ApiCall): Promise<void> {
  if (!atWork.includes(run.status) || run.timestamps['cancel-requested-at'] === undefined)
    throw conflict('This run cannot be canceled by force: cancel it first');
  await transition(tx, run, 'canceled', caller);
}
