import type { DestinationDefinition, Driver } from '#destinations/contract.ts';
import type { AttemptBudget } from './attempt-budget.ts';
import type { Put } from './plan/plan.ts';

/** What the calls of one attempt need. */
export interface ActParts {
  readonly definition: DestinationDefinition;
  readonly driver: Driver;
  readonly budget: AttemptBudget;
  /** A late write may have been applied: objects that look unchanged are inspected closely. */
  readonly recheck: boolean;
}

/** A put whose intent is recorded, so that the call may go out. */
export interface PreparedPut {
  readonly put: Put;
  readonly mark: string;
  readonly intendedAt: Date;
  readonly intent: string;
  /** All tags that the object will have, including the built-in ones. */
  readonly tags: Readonly<Record<string, string>>;
}
