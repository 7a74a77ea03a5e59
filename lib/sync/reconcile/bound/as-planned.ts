import { type DestinationDefinition, DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import type { Written } from '../../model/written.ts';
import type { AttemptBudget } from '../attempt-budget.ts';
import type { Seen } from '../plan/judge.ts';
import { judgedObjects, nameKeysOf, namesToSee } from '../plan/judged.ts';
import type { Plan } from '../plan/plan.ts';
import { takenNames } from '../plan/taken.ts';
import { deviations } from './deviations.ts';
import { keptActions } from './kept-actions.ts';

export interface BoundParts {
  readonly definition: DestinationDefinition;
  readonly store: Store;
}

/** What is left of a plan that the destination still agrees with. */
export interface Bound {
  readonly decided: Plan;
  /** Objects that are gone already. */
  readonly gone: readonly Written[];
}

/** Deviations that a message names. */
const namedMax = 3;

/**
 * Looks at the destination before an association whose kept plan is applied is written, and returns what is left to do: the planned
 * actions and nothing else.
 * @throws DestinationFailure `changed` when a sync would now do something else, or the failure of a look
 */
export async function asPlanned(
  { definition, store }: BoundParts,
  claim: Claimed,
  decided: Plan,
  driver: Driver,
  budget: AttemptBudget,
): Promise<Bound> {
  const applied = await keptActions(store, claim);
  if (applied === undefined) throw changed(['the plan no longer exists']);
  if (applied.revision !== claim.destinationRevision) throw changed(['the settings of the destination were changed']);
  const kept = applied.actions;
  const { removes, refusals } = decided;
  const one = { association: claim, wanted: decided.puts, removes, refusals };
  const taken = await takenNames(store, claim.destinationId, nameKeysOf(one));
  const seen = await seenAt(definition, driver, namesToSee(one, taken), budget);
  const now = judgedObjects(definition, store.barrier, one, taken, seen);
  const isFirst = claim.attempts === 0 && claim.confirmed.length === 0 && claim.unconfirmed === undefined;
  const found = deviations(definition, kept, now, isFirst);
  if (found.length > 0) throw changed(found);
  const names = new Set(kept.map(({ name }) => name));
  const open = new Set(now.flatMap(({ action, external_name }) => (action === 'leave' ? [] : [external_name])));
  const isOpen = ({ name }: { readonly name: string }) => names.has(name) && open.has(name);
  return {
    decided: {
      puts: decided.puts.filter(isOpen),
      kept: [...decided.kept, ...decided.puts.filter((put) => !isOpen(put))],
      removes: removes.filter(isOpen),
      refusals,
    },
    gone: removes.filter(({ name }) => seen.get(name) === undefined && seen.has(name)),
  };
}

function changed(found: readonly string[]): DestinationFailure {
  const more = found.length > namedMax ? `; and ${found.length - namedMax} more` : '';
  const what = found.slice(0, namedMax).join('; ');
  return new DestinationFailure('changed', `nothing was written, because the plan no longer fits: ${what}${more}`);
}

/** From this many objects on, one list is cheaper than a look at each. */
const surveyMin = 4;
/** No look begins later than this many milliseconds after the start of the attempt: the rest of its time is for calls. */
const looksMsMax = 8_000;

async function seenAt(
  { costs }: DestinationDefinition,
  driver: Driver,
  names: readonly string[],
  budget: AttemptBudget,
): Promise<ReadonlyMap<string, Seen>> {
  const seen = new Map<string, Seen>();
  if (driver.survey !== undefined && names.length >= surveyMin) {
    // A failed list counts as empty: the single looks then report the failure.
    const listed = await driver.survey(names, budget.signal).catch(() => undefined);
    budget.spend(listed?.calls ?? 1);
    for (const [name, found] of listed?.found ?? []) seen.set(name, found);
  }
  for (const name of names) {
    if (seen.has(name)) continue;
    const isOver = budget.over || budget.elapsedMs > looksMsMax;
    if (!isOver) budget.spend(costs?.look ?? 1);
    seen.set(name, isOver ? 'unlooked' : await driver.inspect(name, budget.signal));
  }
  return seen;
}
