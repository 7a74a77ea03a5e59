import type { OperationMarks } from '../../../path/contract/row.ts';
import type { KeyAttempts, Rekey } from '../../../store/seal/attempts/contract.ts';
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

/** Which keys rows replace. */
export interface Rekeyed {
  /** Where the rows are. */
  readonly folder: 'rekey' | 'rekey-recovery-key';
  readonly rekey: Rekey;
  /** What people call the shares. */
  readonly keys: string;
}

/** Of operations that holders of key shares call: the shares say who they are. */
export const attemptMarks = ({ attemptsNeedToken }: Pick<KeyRowParts, 'attemptsNeedToken'>): OperationMarks =>
  attemptsNeedToken ? { sudo: true } : { unauthenticated: true, ignoresToken: true };
