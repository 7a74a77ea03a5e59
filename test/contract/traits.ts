import type { FailureKind } from '../../lib/destinations/contract.ts';

/** Where systems rightfully differ and the definition does not tell. */
export interface Traits {
  /** Objects carry our mark. */
  readonly marks: boolean;
  /** What becomes of an empty value. */
  readonly emptyValue: 'kept' | FailureKind;
}

const usual: Traits = { marks: true, emptyValue: 'kept' };

const special: Readonly<Record<string, Partial<Traits>>> = {
  // SecretString has at least one character: the service's own rule.
  'cloud-a-sm': { emptyValue: 'invalid' },
  // A version without data is refused by the service.
  'cloud-c-sm': { emptyValue: 'invalid' },
  // The host keeps no tags and no comment with a secret; the time of creation stands in.
  'repo-host': { marks: false },
};

export const traitsOf = (type: string): Traits => ({ ...usual, ...special[type] });
