import type { DestinationDefinition, Driver } from '../../destinations/contract.ts';
import type { AttemptBudget } from './attempt-budget.ts';
import type { Put } from './plan/plan.ts';

/** What the calls of one attempt are made with. */
export interface ActParts {
  readonly definition: DestinationDefinition;
  readonly driver: Driver;
  readonly budget: AttemptBudget;
  /** A late write may have come: what looks unchanged is looked at closely. */
  readonly recheck: boolean;
}

/** A put that may go out: its name is noted. */
export interface PreparedPut {
  readonly put: Put;
  readonly mark: string;
  readonly intendedAt: Date;
  readonly intent: string;
  /** All tags that it shall have, built-in ones included. */
  readonly tags: Readonly<Record<string, string>>;
}
