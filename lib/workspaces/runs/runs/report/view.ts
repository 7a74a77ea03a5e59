import type { Resource } from '../../../../path/jsonapi/resource.ts';
import { type Levels, runLevels } from '../../../access/levels.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { grantText } from '../../../states/blobs/grant.ts';
import { isFinal } from '../status.ts';
import { applyIdOf, planIdOf, type RunRow } from '../store.ts';
import type { Part } from './report.ts';

/** What addresses of logs grant. */
export const logVerbs = {
  getPlan: 'get-plan-log',
  getApply: 'get-apply-log',
  putPlan: 'put-plan-log',
  putApply: 'put-apply-log',
} as const;

type Parts = Pick<WorkspaceParts, 'store' | 'clock'>;

/** The document of the plan or the apply of a run. Who may report has an address for the log. */
export function partOf(
  parts: Parts,
  run: RunRow,
  part: Part,
  { origin, levels }: { readonly origin: string; readonly levels: Pick<Levels, 'runs'> },
): Resource {
  const isPlan = part === 'plan';
  const { timestamps = {}, status, ...outcome } = run[part];
  const id = isPlan ? planIdOf(run.id) : applyIdOf(run.id);
  const type = isPlan ? 'plans' : 'applies';
  const address = (verb: string) => `${origin}/api/v2/run-logs/${grantText(parts, { verb, id: run.id })}`;
  return {
    id,
    type,
    attributes: {
      ...(isPlan ? { 'has-changes': outcome['has-changes'] ?? false, 'generated-configuration': false } : {}),
      'execution-details': { mode: 'agent' },
      'log-read-url': address(isPlan ? logVerbs.getPlan : logVerbs.getApply),
      'log-upload-url': levels.runs >= runLevels.apply ? address(isPlan ? logVerbs.putPlan : logVerbs.putApply) : null,
      'resource-additions': outcome['resource-additions'] ?? null,
      'resource-changes': outcome['resource-changes'] ?? null,
      'resource-destructions': outcome['resource-destructions'] ?? null,
      'resource-imports': outcome['resource-imports'] ?? null,
      status: status ?? (isFinal(run.status) ? 'unreachable' : 'pending'),
      'status-timestamps': timestamps,
    },
    relationships: isPlan
      ? { 'state-versions': { data: [] }, exports: { data: [] } }
      : { 'state-versions': { data: [] } },
    links: { self: `/api/v2/${type}/${id}` },
  };
}
