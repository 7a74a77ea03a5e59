import { type Resource, timeText } from '#path/jsonapi/resource.ts';
import type { AssessmentRow } from './store.ts';

/** No check failed or could not be evaluated. */
const allChecksSucceeded = (row: AssessmentRow): boolean => row.checks_failed + row.checks_errored === 0;

/** The document of a finished assessment. */
export function assessmentOf(row: AssessmentRow): Resource {
  const self = `/api/v2/assessment-results/${row.id}`;
  return {
    id: row.id,
    type: 'assessment-results',
    attributes: {
      succeeded: row.succeeded === true,
      drifted: row.drifted,
      'error-msg': row.error,
      'all-checks-succeeded': allChecksSucceeded(row),
      'resources-drifted': row.resources_drifted,
      'resources-undrifted': row.resources_undrifted,
      'checks-passed': row.checks_passed,
      'checks-failed': row.checks_failed,
      'checks-errored': row.checks_errored,
      'checks-unknown': row.checks_unknown,
      'created-at': timeText(row.created_at),
    },
    relationships: { workspace: { data: { type: 'workspaces', id: row.workspace_id } } },
    links: { self, 'json-output': `${self}/json-output`, 'log-output': `${self}/log-output` },
  };
}

/** The same for notifications, under the names that receivers of the family know. */
export const messageOf = (row: AssessmentRow): object => ({
  id: row.id,
  succeeded: row.succeeded === true,
  drifted: row.drifted,
  all_checks_succeeded: allChecksSucceeded(row),
  resources_drifted: row.resources_drifted,
  resources_undrifted: row.resources_undrifted,
  checks_passed: row.checks_passed,
  checks_failed: row.checks_failed,
  checks_errored: row.checks_errored,
  checks_unknown: row.checks_unknown,
  created_at: timeText(row.created_at),
});
