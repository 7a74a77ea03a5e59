import { onlyInRoot, type Row } from '#path/contract/row.ts';
import type { KeyRowParts } from './parts.ts';
import { backupRows, rekeyRows } from './rekey.ts';
import { decodeTokenRow, rootTokenRows } from './root-token.ts';
import { rotationRow } from './rotation.ts';
import { verifyRow } from './verify.ts';

export type { KeyRowParts } from './parts.ts';

/** The rows of `sys/` for holders of key shares, and for the rotation of keys. */
export const keyRows = (parts: KeyRowParts): readonly Row[] => {
  const { rekey, recoveryRekey } = parts.attempts;
  const both = [
    { folder: 'rekey', rekey, keys: 'key shares' },
    { folder: 'rekey-recovery-key', rekey: recoveryRekey, keys: 'recovery keys' },
  ] as const;
  return onlyInRoot([
    ...both.flatMap((one) => [...rekeyRows(parts, one), verifyRow(parts, one)]),
    ...backupRows,
    ...rootTokenRows(parts),
    decodeTokenRow,
    rotationRow(parts),
  ]);
};
