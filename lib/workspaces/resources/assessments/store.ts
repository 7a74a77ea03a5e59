import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsAssessmentsTable } from '#store/tables/workspaces.ts';
import type { Database } from '#store/tables.ts';

/** An assessment of a workspace. `succeeded` is null while it goes on. */
export type AssessmentRow = RowOf<typeof wsAssessmentsTable>;

/** Assessments `a` that meet a condition, newest first. */
export async function assessmentsWhere(
  db: Store['db'],
  condition: RawBuilder<unknown>,
  limit: number,
): Promise<readonly AssessmentRow[]> {
  const { rows } = await rowsOf(wsAssessmentsTable)`
    select a.* from ws_assessments a where ${condition} order by a.created_at desc, a.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** The id of the last finished assessment of the workspace `w`. */
export const lastAssessment = sql`(
  select a.id from ws_assessments a where a.workspace_id = w.id and a.succeeded is not null
   order by a.created_at desc, a.id desc limit 1)`;

/** Lets the sweep assess workspaces `w` soon. It leaves out those that do not ask for it. */
export const scheduleAssessments = (tx: Transaction<Database>, workspaces: RawBuilder<unknown>): Promise<unknown> =>
  sql`
    insert into ws_assessment_schedules (workspace_id, organization_id, look_at)
    select w.id, w.organization_id, now() from ws_workspaces w where ${workspaces} order by w.id
    on conflict (workspace_id) do update set look_at = least(ws_assessment_schedules.look_at, now())`.execute(tx);
