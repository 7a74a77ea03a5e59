import type { Row } from '#path/contract/row.ts';
import { rotateRows } from '../keys/rotation.ts';
import { healthRow } from './health.ts';
import { initRow } from './init.ts';
import type { SealRowParts } from './parts.ts';
import { sealRow, unsealRow } from './seal.ts';
import { leaderRow, sealStatusRow } from './status.ts';
import { syncUnsealRow } from './sync-unseal.ts';

export type { SealRowParts } from './parts.ts';

/** The rows of `sys/` about the seal, and about the health of this process. */
export const sealRows = (parts: SealRowParts): readonly Row[] => [
  initRow(parts),
  unsealRow(parts),
  syncUnsealRow(parts),
  sealRow(parts),
  sealStatusRow(parts),
  healthRow(parts),
  leaderRow,
  ...rotateRows(parts),
];
