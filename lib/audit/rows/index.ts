import type { Row } from '../../path/row.ts';
import { deviceRows } from './devices.ts';
import { hashRow } from './hash.ts';
import { headerRows } from './headers.ts';
import type { AuditRowParts } from './parts.ts';

/** `sys/audit`, `sys/audit-hash` and `sys/config/auditing`. */
export const auditRows = (parts: AuditRowParts): readonly Row[] => [
  ...deviceRows(parts),
  hashRow(parts),
  ...headerRows(parts),
];
