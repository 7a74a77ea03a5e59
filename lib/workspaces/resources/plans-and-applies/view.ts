import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { type Bearer, bearerOf } from '../../access/bearer.ts';
import { type Levels, runLevels } from '../../access/levels.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { isFinal } from '../run-lifecycle/status.ts';
import { applyIdOf, planIdOf, type RunRow } from '../run-lifecycle/store.ts';
import { grantText } from '../state-blobs/grant.ts';
import type { Part } from './report.ts';

/** The verbs that log addresses grant. */
export const logVerbs = {
  getPlan: 'get-plan-log',
  getApply: 'get-apply-log',
  putPlan: 'put-plan-log',
  putApply: 'put-apply-log',
} as const;

type Parts = Pick<WorkspaceParts, 'store' | 'clock'>;

/** The reader of a document. */
export interface PartReader {
  readonly origin: string;
  readonly levels: Pick<Levels, 'runs'>;
  readonly caller: ApiCaller;
}

/** The document of the plan or the apply of a run. The agent working on it gets an upload address for the log. */
export function partOf(parts: Parts, run: RunRow, part: Part, { origin, levels, caller }: PartReader): Resource {
  const isPlan = part === 'plan';
  const { timestamps = {}, status, ...outcome } = run[part];
  const id = isPlan ? planIdOf(run.id) : applyIdOf(run.id);
  const type = isPlan ? 'plans' : 'applies';
  const address = (verb: string, bearer?: Bearer) =>
    `${origin}/api/v2/run-logs/${grantText(parts, { verb, id: run.id, bearer })}`;
  const isAgent = levels.runs >= runLevels.apply && run[part].agent === caller.id;
  return {
    id,
    type,
    attributes: {
      ...(isPlan ? { 'has-changes': outcome['has-changes'] ?? false, 'generated-configuration': false } : {}),
      'execution-details': { mode: 'agent' },
      'log-read-url': address(isPlan ? logVerbs.getPlan : logVerbs.getApply),
      'log-upload-url': isAgent ? address(isPlan ? logVerbs.putPlan : logVerbs.putApply, bearerOf(caller)) : null,
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
