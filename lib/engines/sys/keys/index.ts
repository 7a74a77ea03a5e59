import { onlyInRoot, type Row } from '../../../path/contract/row.ts';
import { decodeTokenRow } from './decode-token.ts';
import type { KeyRowParts } from './parts.ts';
import { absentKeyRows } from './recovery.ts';
import { rekeyRows } from './rekey.ts';
import { rootTokenRows } from './root-token.ts';
import { rotationRow } from './rotation.ts';
import { verifyRow } from './verify.ts';

export type { KeyRowParts } from './parts.ts';

/** The rows of `sys/` for holders of key shares, and about when keys are replaced. */
export const keyRows = (parts: KeyRowParts): readonly Row[] =>
  onlyInRoot([
    ...rekeyRows(parts),
    verifyRow(parts),
    ...absentKeyRows(parts),
    ...rootTokenRows(parts),
    decodeTokenRow,
    rotationRow(parts),
  ]);
