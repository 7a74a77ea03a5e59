import type { Delivery } from './view.ts';

/** What may go out of a message, and what has. */
export interface Outgoing {
  readonly payload: object;
  /** Addresses for which an earlier attempt has left nothing to do. */
  readonly settled: readonly string[];
}

/** What came of sending a message once. */
export interface Attempt {
  /** Undefined: it was cut short, and nothing came of it. */
  readonly delivery: Delivery | undefined;
  /** Nothing is left to be sent. */
  readonly taken: boolean;
  readonly settled: readonly string[];
}
