import { sql, type Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { bool, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { transition } from '../run-lifecycle/transition.ts';
import { beginAssessment } from './begin.ts';

type Tx = Transaction<Database>;

/** Workspaces of one organization in one round, so that none keeps the others waiting. */
const perOrganizationMax = 20;
/** A busy workspace is assessed when it is free; looked at so often, in seconds. */
const busySeconds = 600;

interface Round {
  /** Workspaces of the round. */
  readonly countMax: number;
  /** Between two assessments of a workspace. */
  readonly hours: number;
}

/** Begins the assessments that are due, and returns the number of workspaces looked at. Several processes may do this at once, and each step may be repeated. */
export async function assessDue(store: Store, round: Round): Promise<number> {
  await adopt(store, round.countMax);
  const { rows } = await rowsOf({ workspace_id: text })`
    select d.workspace_id from ws_organizations o cross join lateral (
      select workspace_id, look_at from ws_assessment_schedules
       where organization_id = o.id and look_at <= now() order by look_at limit ${perOrganizationMax}) d
     where o.removed_at is null order by d.look_at limit ${round.countMax}`.execute(store.db);
  for (const { workspace_id: id } of rows)
    await store.transaction((tx) => assess(tx, store, { id, hours: round.hours })).catch(unlessGone);
  return rows.length;
}

/** Schedules workspaces of organizations that enforce assessments. */
const adopt = (store: Store, countMax: number): Promise<unknown> =>
  sql`
    insert into ws_assessment_schedules (workspace_id, organization_id, look_at)
    select w.id, w.organization_id, now()
      from ws_organizations o cross join lateral (
        select id, organization_id from ws_workspaces w
         where organization_id = o.id and not exists (select 1 from ws_assessment_schedules s where s.workspace_id = w.id)
         limit ${perOrganizationMax}) w
     where o.assessments_enforced and o.removed_at is null limit ${countMax}
    on conflict (workspace_id) do nothing`.execute(store.db);

/** Ignores a workspace that was deleted meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

async function assess(tx: Tx, store: Store, { id, hours }: { readonly id: string; readonly hours: number }) {
  await holdWorkspace(tx, id);
  const { rows } = await rowsOf({ organization_id: text, wanted: bool, waiting_run: nullable(text) })`
    select w.organization_id, o.assessments_enforced or coalesce(w.settings->'assessments-enabled' = 'true', false) as wanted,
           (select r.id from ws_assessments a join ws_runs r on r.id = a.run_id and r.status = 'pending'
             where a.workspace_id = w.id and a.succeeded is null limit 1) as waiting_run
      from ws_assessment_schedules s join ws_workspaces w on w.id = s.workspace_id join ws_organizations o on o.id = w.organization_id
     where s.workspace_id = ${id} and s.look_at <= now() for update of s`.execute(tx);
  const [row] = rows;
  // Another process was faster.
  if (row === undefined) return;
  if (!row.wanted) return void (await sql`delete from ws_assessment_schedules where workspace_id = ${id}`.execute(tx));
  // No agent took the last one in all this time.
  if (row.waiting_run !== null)
    await transition(tx, await readRun(tx, row.waiting_run), 'canceled', {
      kind: 'organization',
      id: row.organization_id,
    });
  const seconds = await secondsAfter(tx, store, { id, hours });
  await sql`
    update ws_assessment_schedules set look_at = now() + make_interval(secs => ${seconds}) where workspace_id = ${id}`.execute(
    tx,
  );
}

/** Begins an assessment, and says when to look again. A workspace that cannot be assessed is asked again after the usual time. */
async function secondsAfter(tx: Tx, store: Store, { id, hours }: { readonly id: string; readonly hours: number }) {
  try {
    await beginAssessment(tx, store, id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 409) return busySeconds;
  }
  return hours * 3_600;
}
