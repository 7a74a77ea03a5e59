import { sql, type Transaction } from 'kysely';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bool, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsConfigurationVersionsTable } from '#store/tables/runs.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { executionMode } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { announce } from '../notification-deliveries/outbox.ts';
import { prepareStages } from '../run-tasks/stages.ts';
import { finalStatuses, statusGroups } from './status.ts';
import type { RunSettings } from './store.ts';
import { addEvent, queueableNow, queuePlans } from './transition.ts';
import { variablesName } from './view.ts';

type Tx = Transaction<Database>;

/** A new run. */
export interface NewRun {
  readonly workspaceId: string;
  readonly actor: Pick<ApiCaller, 'kind' | 'id'>;
  readonly message: string;
  readonly source: string;
  readonly settings: Partial<RunSettings>;
  readonly planOnly: boolean;
  /** Undefined: the setting of the workspace. */
  readonly autoApply: boolean | undefined;
  /** Default: the newest uploaded version. */
  readonly configurationVersionId?: string | undefined;
  readonly variables?: readonly object[] | undefined;
  /** An assessment of the workspace, which no list of runs shows. */
  readonly assessment?: boolean;
}

/** Active runs of one workspace. */
const activeMax = 1_000;

/**
 * Appends a run to the queue of its workspace and returns its id.
 *
 * @throws ApiError 404 when the workspace was deleted, 422 when its execution mode is local,
 * it has no configuration, refuses to be destroyed, or too many runs are active
 */
export async function insertRun(tx: Tx, { barrier }: Pick<Store, 'barrier'>, run: NewRun): Promise<string> {
  const { workspaceId, actor } = run;
  const held = await holdWorkspace(tx, workspaceId);
  const place = await placeOf(tx, workspaceId);
  if (place.mode === 'local')
    throw unprocessable('Runs cannot be created in a workspace whose execution mode is local: it stores state only.');
  if (run.settings['is-destroy'] === true && !place.allows_destroy) throw refusesDestroy();
  if (place.active >= activeMax) throw unprocessable(`a workspace may have at most ${activeMax} active runs`);
  const configuration = await configurationOf(tx, run, held.current_configuration_version_id);
  const id = newId('run');
  const planOnly = run.planOnly || configuration.speculative;
  const variables = run.variables === undefined ? null : barrier.seal(JSON.stringify(run.variables), variablesName(id));
  const settings = { ...run.settings, 'engine-version': run.settings['engine-version'] ?? place.engine_version };
  await sql`
    insert into ws_runs (id, workspace_id, configuration_version_id, created_by_kind, created_by, message, source, settings,
                         variables, auto_apply, plan_only, assessment, timestamps)
    values (${id}, ${workspaceId}, ${configuration.id}, ${actor.kind}, ${actor.id}, ${run.message}, ${run.source},
            ${JSON.stringify(settings)}, ${variables}, ${run.autoApply ?? place.auto_apply}, ${planOnly}, ${run.assessment === true},
            ${configuration.status === 'uploaded' ? queueableNow : sql`'{}'::jsonb`})`.execute(tx);
  if (run.assessment === true) return queuePlans(tx, workspaceId).then(() => id);
  await prepareStages(tx, { id, workspace_id: workspaceId }, { planOnly });
  await sql`
    update ws_workspaces w set latest_change_at = now(),
           current_run_id = case when ${planOnly} or exists (
             select 1 from ws_runs c where c.id = ${held.current_run_id} and c.status <> all(${finalStatuses}::text[]))
             then current_run_id else ${id} end
     where id = ${workspaceId}`.execute(tx);
  await queuePlans(tx, workspaceId);
  await addEvent(tx, id, 'created', actor);
  await announce(tx, { id, workspaceId, status: 'pending', message: run.message }, 'run:created');
  return id;
}

const refusesDestroy = () =>
  invalidAttribute('is-destroy', 'Is destroy cannot be set: the workspace does not allow destroy plans');

type Place = RowOf<typeof placeColumns>;

const placeColumns = {
  mode: executionMode,
  engine_version: text,
  auto_apply: bool,
  allows_destroy: bool,
  active: int,
};

async function placeOf(tx: Tx, workspaceId: string): Promise<Place> {
  const { rows } = await rowsOf(placeColumns)`
    select coalesce(w.execution_mode, p.default_execution_mode, o.default_execution_mode) as mode, w.engine_version,
           coalesce(w.settings->'auto-apply' = 'true', false) as auto_apply,
           coalesce(w.settings->'allow-destroy-plan' <> 'false', true) as allows_destroy,
           (select count(*)::int from ws_runs r where r.workspace_id = w.id
               and r.status = any(${statusGroups['non_final']}::text[])) as active
      from ws_workspaces w join ws_projects p on p.id = w.project_id join ws_organizations o on o.id = w.organization_id
     where w.id = ${workspaceId}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('a workspace has no project');
  return row;
}

type Configuration = RowOf<typeof configurationColumns>;

const configurationColumns = pick(wsConfigurationVersionsTable, 'id', 'speculative', 'status');

async function configurationOf(tx: Tx, run: NewRun, current: string | null): Promise<Configuration> {
  const wanted = run.configurationVersionId;
  const condition =
    wanted === undefined
      ? sql`status = 'uploaded' and not speculative and (not provisional or id = ${current})`
      : sql`id = ${wanted} and status in ('pending', 'uploaded')`;
  const { rows } = await rowsOf(configurationColumns)`
    select id, speculative, status from ws_configuration_versions where workspace_id = ${run.workspaceId} and ${condition}
     order by position desc limit 1`.execute(tx);
  const [row] = rows;
  if (row === undefined)
    throw unprocessable(
      wanted === undefined ? 'Configuration version is missing' : 'Configuration version not found, or it was archived',
    );
  return row;
}
