import type { Look } from '#ui/parts/words.ts';
import type { Item } from './items.ts';

/** Where runs of a workspace are executed. */
const modes: Readonly<Record<string, string>> = {
  remote: 'on an agent',
  agent: 'on an agent of a pool',
  local: 'on your machine',
};

export const modeWord = (mode: string): string => modes[mode] ?? mode;

const runLooks: Readonly<Record<string, Look>> = {
  pending: { word: 'Pending', tone: 'wait', icon: 'clock' },
  plan_queued: { word: 'Plan queued', tone: 'wait', icon: 'clock' },
  planning: { word: 'Planning', tone: 'wait', icon: 'spin' },
  planned: { word: 'Needs confirmation', tone: 'warn', icon: 'alert' },
  planned_and_saved: { word: 'Plan saved', tone: 'warn', icon: 'pause' },
  planned_and_finished: { word: 'Planned, no changes', tone: 'ok', icon: 'done' },
  confirmed: { word: 'Confirmed', tone: 'wait', icon: 'clock' },
  apply_queued: { word: 'Apply queued', tone: 'wait', icon: 'clock' },
  applying: { word: 'Applying', tone: 'wait', icon: 'spin' },
  applied: { word: 'Applied', tone: 'ok', icon: 'done' },
  discarded: { word: 'Discarded', tone: 'off', icon: 'dash' },
  canceled: { word: 'Canceled', tone: 'off', icon: 'dash' },
  errored: { word: 'Failed', tone: 'fail', icon: 'cross' },
  pre_plan_running: { word: 'Tasks before the plan', tone: 'wait', icon: 'spin' },
  post_plan_running: { word: 'Tasks after the plan', tone: 'wait', icon: 'spin' },
  pre_apply_running: { word: 'Tasks before the apply', tone: 'wait', icon: 'spin' },
};

export const runLook = (status: string): Look => runLooks[status] ?? { word: status, tone: 'off', icon: 'question' };

export const runStatuses = Object.keys(runLooks);

/** What kind of run it is, beside a plan that is applied. */
export function kindOf(run: Item): string {
  if (run.is('is-destroy')) return 'Destroys';
  if (run.is('refresh-only')) return 'Refreshes only';
  if (run.is('plan-only')) return 'Plans only';
  if (run.is('save-plan')) return 'Saves its plan';
  return 'Plans and applies';
}

/** What a right of a workspace lets a caller do. */
const rights: Readonly<Record<string, string>> = {
  'can-lock': 'lock and unlock it',
  'can-force-unlock': 'unlock it by force',
  'can-queue-run': 'start runs',
  'can-queue-destroy': 'destroy its resources',
  'can-update': 'change its settings and its teams',
  'can-update-variable': 'write its variables',
  'can-manage-assessments': 'begin assessments',
};

/** Why the caller may not do something with a workspace; undefined where it may. */
export const refusalIn = (workspace: Item, right: keyof typeof rights & string): string | undefined =>
  workspace.is('permissions', right) ? undefined : `Your rights in this workspace do not let you ${rights[right]}.`;
