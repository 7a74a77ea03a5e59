import { onlyInRoot, type Row } from '#path/contract/row.ts';
import { absentRows } from './absent.ts';
import { clusterRows } from './cluster.ts';
import { counterRows } from './counters.ts';
import { loggerRows } from './loggers.ts';
import type { DiagnosisParts } from './parts.ts';
import { hostRow, requestsRow } from './process.ts';

export type { DiagnosisParts } from './parts.ts';

/** The rows of `sys/` about the answering process and the installation as a whole. */
export const diagnosisRows = (parts: DiagnosisParts): readonly Row[] =>
  onlyInRoot([
    ...clusterRows(parts),
    hostRow,
    requestsRow(parts),
    ...loggerRows(parts.levels),
    ...counterRows(parts),
    ...absentRows,
  ]);
