import type { Clock } from '#core/clock.ts';
import type { Prepare, Seal } from '#store/seal/contract.ts';

/** The parts of the rows about the seal. */
export interface SealRowParts {
  readonly seal: Seal;
  /** Whether the database answers; never throws, and returns within a short deadline. */
  readonly reachable: () => Promise<boolean>;
  /**
   * Creates the initial content of a new store and returns the root token. Runs inside the initializing transaction with the
   * barrier open: its rows are committed together with the seal, or not at all.
   */
  readonly mintRootToken: Prepare<string>;
  readonly clock: Clock;
  /** Called when the root key was lent and when a loan was refused. */
  readonly lent: (result: 'lent' | 'refused') => void;
}
