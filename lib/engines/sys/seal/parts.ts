import type { Clock } from '../../../core/clock.ts';
import type { Prepare, Seal } from '../../../store/seal/contract.ts';

/** What the rows about the seal need. */
export interface SealRowParts {
  readonly seal: Seal;
  /** Whether the database answers; never throws, and soon knows. */
  readonly reachable: () => Promise<boolean>;
  /**
   * Makes what a new store starts with and answers the root token. Runs inside the initialising transaction, with the
   * barrier open: what it writes by `tx` is there together with the seal, or not at all.
   */
  readonly mintRootToken: Prepare<string>;
  readonly clock: Clock;
  /** Called when the root key was lent, and when that was refused. */
  readonly lent: (result: 'lent' | 'refused') => void;
}
