import type { EvaluationRow } from '../policy-evaluations/view.ts';
import type { ResultRow } from './view.ts';

/** What becomes of a stage; undefined while something in it has not ended. `because`: the id of what decides it. */
export type Decision =
  | { readonly status: 'passed' }
  | { readonly status: 'failed' | 'awaiting_override'; readonly because: string };

type Result = Pick<ResultRow, 'id' | 'status' | 'enforcement_level'>;
type Evaluation = Pick<EvaluationRow, 'id' | 'status' | 'overridable'>;

const isOpen = ({ status }: Result | Evaluation): boolean => status === 'pending' || status === 'running';

/**
 * A stage ends with the last of its results and its evaluation. Failed policies wait for an override only if nothing else has failed and the run can
 * be applied.
 */
export function decide(
  results: readonly Result[],
  evaluation: Evaluation | undefined,
  { planOnly }: { readonly planOnly: boolean },
): Decision | undefined {
  if (results.some(isOpen) || (evaluation !== undefined && isOpen(evaluation))) return undefined;
  const failing = results.find((one) => one.enforcement_level === 'mandatory' && one.status !== 'passed');
  if (failing !== undefined) return { status: 'failed', because: failing.id };
  if (evaluation === undefined || evaluation.status === 'passed' || evaluation.status === 'overridden')
    return { status: 'passed' };
  const mayGoOn = evaluation.overridable && !planOnly;
  return { status: mayGoOn ? 'awaiting_override' : 'failed', because: evaluation.id };
}
