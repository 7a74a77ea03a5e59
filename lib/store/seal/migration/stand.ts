import type { OuterKey } from '../keys/root-key-source.ts';
import type { SealRecord } from '../record.ts';

/** The keys that a process is configured with. */
export interface ConfiguredKeys {
  /** Of the automatic seal; undefined: key shares. */
  readonly outerKey: OuterKey | undefined;
  /** Of the seal that a store may still have. */
  readonly formerKey: OuterKey | undefined;
}

/**
 * How the stored seal stands to the configured one. `fits`: it is the configured one. `migrates`: it is another one that this
 * process can open too, once enough shares are given. `foreign`: nothing that is configured opens it.
 */
export type Stand = 'fits' | 'migrates' | 'foreign';

/** @param refused whether the configured key was asked and does not open the record */
export function standOf(record: SealRecord, { outerKey, formerKey }: ConfiguredKeys, refused: boolean): Stand {
  const fits = outerKey === undefined ? record.type === 'shamir' : record.type === outerKey.type && !refused;
  if (fits) return 'fits';
  return record.type === 'shamir' || formerKey?.opens(record) === true ? 'migrates' : 'foreign';
}
