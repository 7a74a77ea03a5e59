import type { recoveryRekey, rekey } from '#client/operations/rekey.ts';

/** Which shares are changed, and how. */
export interface Rekeying {
  readonly operations: typeof rekey | typeof recoveryRekey;
  readonly word: 'key share' | 'recovery key';
}
