import { sql, type Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { timeText } from '#path/jsonapi/resource.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { int, jsonObject, nullable, text, timestamptz } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { activityDuration, type Decision, decide, type Ephemeral, retryAt } from '../auto-destroy/decide.ts';
import { announceFact } from '../notification-deliveries/facts.ts';
import { autoDestroySource } from '../run-lifecycle/destroyed.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { settingsOf } from '../workspace-settings/settings.ts';

type Tx = Transaction<Database>;

/** Workspaces of one organization in one round, so that none keeps the others waiting. */
const perOrganizationMax = 20;

/**
 * Looks at most at `countMax` ephemeral workspaces that are due: reminds of their destruction, or queues the run that destroys their resources.
 * Several processes may do this at once, and each step may be repeated.
 */
export async function tendEphemeral(store: Store, countMax: number): Promise<void> {
  const { rows } = await rowsOf({ workspace_id: text })`
    select d.workspace_id from ws_organizations o cross join lateral (
      select workspace_id, look_at from ws_auto_destroys
       where organization_id = o.id and look_at <= now() order by look_at limit ${perOrganizationMax}) d
     where o.removed_at is null order by d.look_at limit ${countMax}`.execute(store.db);
  for (const { workspace_id: id } of rows) await store.transaction((tx) => tend(tx, store, id)).catch(unlessGone);
}

/** Ignores a workspace that was deleted meanwhile. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

type Row = RowOf<typeof columns>;

const columns = {
  workspace_id: text,
  organization_id: text,
  settings: jsonObject,
  project_duration: nullable(text),
  latest_change_at: timestamptz,
  resource_count: int,
  destroy_at: nullable(timestamptz),
  reminded_hours: nullable(int),
};

async function tend(tx: Tx, store: Store, id: string): Promise<void> {
  await holdWorkspace(tx, id);
  const { rows } = await rowsOf(columns)`
    select d.workspace_id, d.organization_id, w.settings, p.auto_destroy_activity_duration as project_duration, w.latest_change_at,
           w.resource_count, d.destroy_at, d.reminded_hours
      from ws_auto_destroys d join ws_workspaces w on w.id = d.workspace_id join ws_projects p on p.id = w.project_id
     where d.workspace_id = ${id} and d.look_at <= now() for update of d`.execute(tx);
  const [row] = rows;
  // Another process was faster.
  if (row === undefined) return;
  const before = { destroyAt: row.destroy_at, hours: row.reminded_hours };
  const decision = decide(ephemeralOf(row), before, store.clock.now());
  if (decision.kind === 'destroy') await destroy(tx, store, row);
  else await wait(tx, row, decision);
}

function ephemeralOf({ settings: stored, ...row }: Row): Ephemeral {
  const settings = settingsOf(stored);
  const at = settings['auto-destroy-at'];
  return {
    at: at === null ? undefined : new Date(at),
    duration: activityDuration(settings, row.project_duration).duration,
    lastActivity: row.latest_change_at,
    hasResources: row.resource_count > 0,
  };
}

async function wait(tx: Tx, row: Row, decision: Extract<Decision, { kind: 'wait' }>): Promise<void> {
  const { hours, seen, lookAt } = decision;
  await sql`
    update ws_auto_destroys set look_at = ${lookAt}, destroy_at = ${seen.destroyAt}, reminded_hours = ${seen.hours}
     where workspace_id = ${row.workspace_id}`.execute(tx);
  if (hours === undefined || seen.destroyAt === null) return;
  await announceFact(tx, row.workspace_id, {
    scope: 'workspace',
    trigger: 'workspace:auto_destroy_reminder',
    message: `The resources of the workspace will be destroyed in ${hours} hours`,
    details: { auto_destroy_at: timeText(seen.destroyAt) },
  });
}

/** Queues the run, which is activity: the next time is reckoned from it. A chosen time is used up. */
async function destroy(tx: Tx, store: Store, row: Row): Promise<void> {
  const { workspace_id: id } = row;
  const failure = row.resource_count === 0 ? undefined : await queued(tx, store, row);
  const now = store.clock.now();
  const lookAt = failure === undefined ? now : retryAt(ephemeralOf(row), now);
  await sql`update ws_workspaces set settings = settings - 'auto-destroy-at' where id = ${id}`.execute(tx);
  await sql`
    update ws_auto_destroys set look_at = ${lookAt}, destroy_at = null, reminded_hours = null where workspace_id = ${id}`.execute(
    tx,
  );
  if (failure === undefined) return;
  await announceFact(tx, id, {
    scope: 'workspace',
    trigger: 'workspace:auto_destroy_run_results',
    message: `The resources of the workspace could not be destroyed: ${failure}`,
    details: { run_id: null, run_status: null },
  });
}

/** @returns why the workspace cannot have the run */
async function queued(tx: Tx, store: Store, { workspace_id: id, organization_id }: Row): Promise<string | undefined> {
  try {
    const runId = await insertRun(tx, store, {
      workspaceId: id,
      actor: { kind: 'organization', id: organization_id },
      message: 'Scheduled destruction of the resources of this workspace',
      source: autoDestroySource,
      settings: { 'is-destroy': true, 'trigger-reason': 'auto-destroy' },
      planOnly: false,
      autoApply: true,
    });
    await sql`update ws_auto_destroys set run_id = ${runId}, failure = null where workspace_id = ${id}`.execute(tx);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await sql`
      update ws_auto_destroys set run_id = null, failure = ${error.message} where workspace_id = ${id}`.execute(tx);
    return error.message;
  }
}
