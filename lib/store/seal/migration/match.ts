import type { OuterKey } from '../keys/root-key-source.ts';
import type { SealRecord } from '../record.ts';

/** The keys that a process is configured with. */
export interface ConfiguredKeys {
  /** The key of the automatic seal; undefined with key shares. */
  readonly outerKey: OuterKey | undefined;
  /** The key of the previous seal, which the store may still use. */
  readonly formerKey: OuterKey | undefined;
}

/**
 * How the stored seal compares with the configured one. `matches`: it is the configured one. `migrates`: it is another one that this
 * process can replace once enough shares are given. `foreign`: no configured key opens it.
 */
export type SealMatch = 'matches' | 'migrates' | 'foreign';

/** @param refused whether the configured key has been tried and does not open the record */
export function sealMatch(record: SealRecord, { outerKey, formerKey }: ConfiguredKeys, refused: boolean): SealMatch {
  const matches = outerKey === undefined ? record.type === 'shamir' : record.type === outerKey.type && !refused;
  if (matches) return 'matches';
  return record.type === 'shamir' || formerKey?.opens(record) === true ? 'migrates' : 'foreign';
}
