import type { Store } from '#store/store.ts';
import { type Opa, OpaFailure, openOpa } from '../opa/opa.ts';
import type { Verdict } from '../opa/verdict.ts';
import { ruleOf } from '../policies/fields.ts';
import { added, type Counts, noCounts, type Outcome } from '../policy-evaluations/view.ts';
import { inputOf, NoInput, type PolicyInput } from './input.ts';
import { type ApplyingSet, type AskedPolicy, type RunFacts, readAsked, setsOf } from './material.ts';

/** What one policy set says. */
export interface SetOutcome {
  readonly set: Pick<ApplyingSet, 'name' | 'description' | 'overridable'>;
  readonly outcomes: readonly Outcome[];
  readonly counts: Counts;
  readonly error: string;
}

/** What all policies of a workspace say. */
export interface Evaluated {
  readonly toolVersion: string | undefined;
  readonly sets: readonly SetOutcome[];
}

/** How long all policies of a plan may take together. */
export const evaluationMsMax = 120_000;
const charactersMax = 1_000;

type Answer = { readonly policy: AskedPolicy; readonly verdict: Verdict };

/** The program that evaluates, or why none does: then every policy has this problem. */
export type Tool = { readonly program: string } | { readonly problem: string };

/** Asks each policy of the sets that apply to the run once, as they are now. @throws the reason of the signal */
export async function evaluate(store: Store, tool: Tool, facts: RunFacts, signal: AbortSignal): Promise<Evaluated> {
  const sets = await setsOf(store, facts.workspace_id);
  const deadline = AbortSignal.timeout(evaluationMsMax);
  const prepared = await prepare(store, tool, facts, AbortSignal.any([signal, deadline]));
  const answers = new Map<string, Answer>();
  try {
    for (const id of new Set(sets.flatMap(({ policy_ids: ids }) => ids))) {
      const policy = await readAsked(store, id);
      if (policy === undefined) continue;
      const verdict = await verdictOn(prepared, policy, { signal, deadline });
      answers.set(id, { policy, verdict });
    }
  } finally {
    if (!('problem' in prepared)) await prepared.opa.close();
  }
  const version = 'problem' in prepared ? undefined : prepared.opa.version;
  const mask = 'problem' in prepared ? identity : prepared.input.mask;
  return { toolVersion: version, sets: sets.map((set) => outcomeOf(set, answers, mask)) };
}

type Prepared = { readonly opa: Opa; readonly input: PolicyInput } | { readonly problem: string };

const identity = (text: string): string => text;

/** Without an input every policy has this problem too. */
async function prepare(store: Store, tool: Tool, facts: RunFacts, signal: AbortSignal): Promise<Prepared> {
  if ('problem' in tool) return tool;
  let opa: Opa | undefined;
  try {
    opa = await openOpa(tool.program, signal);
    return { opa, input: await inputOf(store, facts) };
  } catch (error) {
    await opa?.close();
    if (error instanceof OpaFailure || error instanceof NoInput) return { problem: error.message };
    throw error;
  }
}

async function verdictOn(
  prepared: Prepared,
  { source, query }: AskedPolicy,
  { signal, deadline }: { readonly signal: AbortSignal; readonly deadline: AbortSignal },
): Promise<Verdict> {
  const errored = (problem: string) => ({ status: 'errored', problem, isSyntax: false }) as const;
  if ('problem' in prepared) return errored(prepared.problem);
  if (source === null) return errored('The text of the policy was not uploaded.');
  try {
    const asked = { source, rule: ruleOf(query) };
    return await prepared.opa.evaluate(asked, prepared.input.json, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    return errored(`The policies of this plan take longer than ${evaluationMsMax / 1_000} seconds.`);
  }
}

/** What a set says, without more words than the API shows. */
export function outcomeOf(
  set: ApplyingSet,
  answers: ReadonlyMap<string, Answer>,
  mask: ((text: string) => string) | undefined,
): SetOutcome {
  const said = (text: string): string => (mask?.(text) ?? '').slice(0, charactersMax);
  const asked = set.policy_ids.flatMap((id) => answers.get(id) ?? []);
  const outcomes = asked.map(({ policy, verdict }) => ({
    policy_name: policy.name,
    description: policy.description ?? '',
    enforcement_level: policy.enforcement_level,
    query: policy.query,
    status: verdict.status,
    output:
      verdict.status === 'failed' && mask !== undefined
        ? verdict.found.map(said)
        : verdict.status === 'errored'
          ? [said(verdict.problem)]
          : [],
  }));
  const problem = outcomes.find(({ status }) => status === 'errored');
  return {
    set,
    outcomes,
    counts: countsOf(outcomes),
    error: problem === undefined ? '' : `${problem.policy_name}: ${problem.output[0] ?? ''}`.slice(0, charactersMax),
  };
}

const countsOf = (outcomes: readonly Outcome[]): Counts =>
  outcomes.map(countOf).reduce((sum, name) => added(sum, { [name]: 1 }), noCounts);

function countOf({ status, enforcement_level: level }: Outcome): keyof Counts {
  return status === 'failed' ? `${level}-failed` : status;
}
