import { sql, type Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import { type AssessmentRow, assessmentsWhere } from '../assessments/store.ts';
import { messageOf } from '../assessments/view.ts';
import type { Trigger } from '../notification-configurations/fields.ts';
import { announceFact } from '../notification-deliveries/facts.ts';
import type { RunStatus } from './status.ts';
import type { RunRow } from './store.ts';

type Tx = Transaction<Database>;

/** Finished assessments that are kept of one workspace, with their logs and plans. */
const keptMax = 5;

/** Ends the assessment behind a run with what its agent has counted, and tells the receivers of the workspace. */
export async function endAssessment(tx: Tx, { id, workspace_id }: RunRow, status: RunStatus): Promise<void> {
  const succeeded = status === 'planned_and_finished';
  const error = succeeded ? null : `The assessment ended as ${status}: see its log`;
  await sql`
    update ws_assessments set succeeded = ${succeeded}, drifted = drifted and ${succeeded}, error = ${error}
     where run_id = ${id} and succeeded is null`.execute(tx);
  const [last, prior, ...older] = await assessmentsWhere(
    tx,
    sql`a.workspace_id = ${workspace_id} and a.succeeded is not null`,
    keptMax + agedMax,
  );
  if (last === undefined) return;
  for (const [trigger, message] of factsOf(last))
    await announceFact(tx, workspace_id, {
      scope: 'assessment',
      trigger,
      message,
      details: {
        new_assessment_result: messageOf(last),
        prior_assessment_result: prior === undefined ? null : messageOf(prior),
      },
    });
  await drop(
    tx,
    older.slice(keptMax - 2).map(({ run_id }) => run_id),
  );
}

/** Older assessments that one end deletes. */
const agedMax = 5;

function factsOf(row: AssessmentRow): readonly (readonly [Trigger, string])[] {
  if (row.succeeded !== true) return [['assessment:failed', 'Assessment Failed']];
  return [
    ...(row.drifted ? [['assessment:drifted', 'Drift Detected'] as const] : []),
    ...(row.checks_failed + row.checks_errored > 0 ? [['assessment:check_failure', 'Checks Failed'] as const] : []),
  ];
}

/** Deletes runs of assessments with their files, and so the assessments. */
async function drop(tx: Tx, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  await sql`
    delete from ws_blobs where id in (
      select unnest(array[r.plan_log_id, j.plan_file_id, j.plan_json_id, j.plan_redacted_id])
        from ws_runs r left join ws_run_jobs j on j.run_id = r.id where r.id = any(${runIds}::text[]))`.execute(tx);
  await sql`delete from ws_runs where id = any(${runIds}::text[])`.execute(tx);
}
