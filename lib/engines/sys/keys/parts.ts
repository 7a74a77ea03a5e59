import type { OperationMarks } from '../../../path/contract/row.ts';
import type { KeyAttempts } from '../../../store/seal/attempts/contract.ts';
import type { Prepare, Seal } from '../../../store/seal/contract.ts';

/** What the rows about keys need. */
export interface KeyRowParts {
  readonly seal: Pick<Seal, 'rotation' | 'configureRotation'>;
  readonly attempts: KeyAttempts;
  /** Makes a root token in a transaction. */
  readonly mintRootToken: Prepare<string>;
  /** Attempts need a token with the sudo capability, and not the key shares alone. */
  readonly attemptsNeedToken: boolean;
}

/** Of operations that holders of key shares call: the shares say who they are. */
export const attemptMarks = ({ attemptsNeedToken }: Pick<KeyRowParts, 'attemptsNeedToken'>): OperationMarks =>
  attemptsNeedToken ? { sudo: true } : { unauthenticated: true, ignoresToken: true };
