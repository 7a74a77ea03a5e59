import type { Delivery } from '../notification-configurations/view.ts';

/** A message, and the addresses already done with it. */
export interface Outgoing {
  readonly payload: object;
  /** Addresses that need no further attempt. */
  readonly settled: readonly string[];
}

/** The result of one attempt. */
export interface Attempt {
  /** Undefined when the attempt was aborted. */
  readonly delivery: Delivery | undefined;
  /** Whether nothing is left to send. */
  readonly taken: boolean;
  readonly settled: readonly string[];
}
