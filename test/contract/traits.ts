import type { FailureKind } from '../../lib/destinations/contract.ts';

/** Where systems rightfully differ and the definition does not tell. */
export interface Traits {
  /** What becomes of an empty value. */
  readonly emptyValue: 'kept' | FailureKind;
}

const usual: Traits = { emptyValue: 'kept' };

const special: Readonly<Record<string, Partial<Traits>>> = {
  // SecretString has at least one character: the service's own rule.
  'cloud-a-sm': { emptyValue: 'invalid' },
  // A version without data is refused by the service.
  'cloud-c-sm': { emptyValue: 'invalid' },
};

export const traitsOf = (type: string): Traits => ({ ...usual, ...special[type] });
