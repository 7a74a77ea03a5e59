import type { RawBuilder } from 'kysely';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type EvaluationRow, evaluationColumns, type OutcomeRow, outcomeColumns } from './view.ts';

type Db = Pick<Store, 'db'>['db'];

/** Evaluations `e` that meet a condition. A stage has at most one. */
export async function evaluationsWhere(db: Db, condition: RawBuilder<unknown>): Promise<readonly EvaluationRow[]> {
  const { rows } = await rowsOf(evaluationColumns)`
    select e.* from ws_policy_evaluations e where ${condition} order by e.id`.execute(db);
  return rows;
}

/** Outcomes `u` that meet a condition. An evaluation has one for each policy set of an organization at most. */
export async function outcomesWhere(db: Db, condition: RawBuilder<unknown>): Promise<readonly OutcomeRow[]> {
  const { rows } = await rowsOf(outcomeColumns)`
    select u.* from ws_policy_outcomes u where ${condition} order by u.evaluation_id, u.position`.execute(db);
  return rows;
}
