import { type Levels, runLevels, stateLevels, variableLevels } from './levels.ts';
import type { Standing } from './standing.ts';

/** Whether the caller may let a run go on although its policies have failed. */
export const overridesPolicies = ({
  standing: { may },
  levels,
}: {
  readonly standing: Standing;
  readonly levels: Pick<Levels, 'runs'>;
}): boolean => may('manage-policy-overrides') || (may('delegate-policy-overrides') && levels.runs >= runLevels.apply);

/** The `permissions` of a workspace in its document. */
export function permissionsOf(standing: Standing, levels: Levels) {
  const { admin, locking } = levels;
  const mayForceDelete = standing.isOwner || (admin && standing.organization.allow_force_delete_workspaces);
  const applies = levels.runs >= runLevels.apply;
  return {
    'can-update': admin,
    'can-destroy': levels.removes,
    'can-queue-run': levels.runs >= runLevels.plan,
    'can-read-run': levels.runs >= runLevels.read,
    'can-read-variable': levels.variables >= variableLevels.read,
    'can-update-variable': levels.variables >= variableLevels.write,
    'can-read-state-versions': levels.state_versions >= stateLevels.read,
    'can-read-state-outputs': levels.state_versions >= stateLevels['read-outputs'],
    'can-create-state-versions': levels.state_versions >= stateLevels.write,
    'can-queue-apply': applies,
    'can-lock': locking,
    'can-unlock': locking,
    'can-force-unlock': admin,
    'can-read-settings': true,
    'can-manage-tags': admin,
    'can-manage-run-tasks': levels.run_tasks,
    'can-force-delete': mayForceDelete,
    'can-manage-assessments': admin,
    'can-manage-ephemeral-workspaces': admin,
    'can-read-assessment-results': levels.runs >= runLevels.read,
    'can-queue-destroy': applies,
    'can-queue-destroy-plan': applies,
  };
}
