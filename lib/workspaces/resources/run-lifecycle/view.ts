import { parseJson } from '#core/json/json.ts';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { creatorOf } from '../state-versions/view.ts';
import { atWork, cancelable, confirmable, isBeingCanceled, isDiscardable, shownStatus } from './status.ts';
import { applyIdOf, planIdOf, type RunRow } from './store.ts';

export const variablesName = (id: string): string => `ws_runs/${id}/variables`;

type Parts = Pick<WorkspaceParts, 'store'>;

/** The document of a run. `levels` are those of the caller in its workspace. */
export function runOf(parts: Parts, run: RunRow, levels: Pick<Levels, 'runs' | 'admin' | 'variables'>): Resource {
  const { id } = run;
  const path = `/api/v2/runs/${id}`;
  return {
    id,
    type: 'runs',
    attributes: { ...attributesOf(parts, run, levels), permissions: permissionsOf(levels) },
    relationships: {
      apply: { ...toOne('applies', applyIdOf(id)), links: { related: `${path}/apply` } },
      comments: { ...toMany('comments', run.comment_ids), links: { related: `${path}/comments` } },
      'confirmed-by': creatorOf({ created_by_kind: run.confirmed_by_kind, created_by: run.confirmed_by }),
      'configuration-version': toOne('configuration-versions', run.configuration_version_id),
      'created-by': creatorOf(run),
      plan: { ...toOne('plans', planIdOf(id)), links: { related: `${path}/plan` } },
      'policy-checks': toMany('policy-checks', []),
      'run-events': { ...toMany('run-events', run.event_ids), links: { related: `${path}/run-events` } },
      'task-stages': { ...toMany('task-stages', run.task_stage_ids), links: { related: `${path}/task-stages` } },
      workspace: toOne('workspaces', run.workspace_id),
    },
    links: { self: path },
  };
}

function attributesOf(parts: Parts, run: RunRow, levels: Pick<Levels, 'variables'>) {
  const { settings, timestamps, plan } = run;
  const version = settings['engine-version'] ?? null;
  return {
    actions: actionsOf(run),
    'allow-config-generation': settings['allow-config-generation'] ?? false,
    'allow-empty-apply': settings['allow-empty-apply'] ?? false,
    'auto-apply': run.auto_apply,
    'canceled-at': timestamps['canceled-at'] ?? null,
    'created-at': timeText(run.created_at),
    'force-cancel-available-at': timestamps['cancel-requested-at'] ?? null,
    'has-changes': plan['has-changes'] ?? false,
    'is-destroy': settings['is-destroy'] ?? false,
    message: run.message,
    'plan-only': run.plan_only,
    'position-in-queue': run.ahead,
    'policy-paths': settings['policy-paths'] ?? [],
    refresh: settings.refresh ?? true,
    'refresh-only': settings['refresh-only'] ?? false,
    'replace-addrs': settings['replace-addrs'] ?? null,
    'target-addrs': settings['target-addrs'] ?? null,
    'save-plan': settings['save-plan'] ?? false,
    source: run.source,
    status: shownStatus(run),
    'status-timestamps': timestamps,
    'engine-version': version,
    'terraform-version': version,
    'trigger-reason': settings['trigger-reason'] ?? 'manual',
    'updated-at': timeText(run.updated_at),
    variables: levels.variables > 0 ? variablesOf(parts, run) : [],
  };
}

const variablesOf = ({ store }: Parts, { id, variables }: RunRow): unknown =>
  variables === null ? [] : parseJson(store.barrier.open(variables, variablesName(id)).toString());

function actionsOf(run: RunRow) {
  const { status } = run;
  const asked = isBeingCanceled(run);
  return {
    'is-cancelable': cancelable.includes(status) && !asked,
    'is-confirmable': confirmable.includes(status),
    'is-discardable': isDiscardable(run),
    'is-force-cancelable': atWork.includes(status) && asked,
  };
}

function permissionsOf({ runs, admin }: Pick<Levels, 'runs' | 'admin'>) {
  const applies = runs >= runLevels.apply;
  return {
    'can-apply': applies,
    'can-cancel': applies,
    'can-comment': runs >= runLevels.read,
    'can-discard': applies,
    'can-force-cancel': admin,
    'can-force-execute': applies,
    'can-override-policy-check': false,
  };
}
