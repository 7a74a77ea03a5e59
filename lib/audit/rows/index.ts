import { onlyInRoot, type Row } from '#path/contract/row.ts';
import { deviceRows } from './devices.ts';
import { hashRow } from './hash.ts';
import { headerRows } from './headers.ts';
import type { AuditRowParts } from './parts.ts';

/** `sys/audit`, `sys/audit-hash` and `sys/config/auditing`. Devices record the requests of all namespaces. */
export const auditRows = (parts: AuditRowParts): readonly Row[] =>
  onlyInRoot([...deviceRows(parts), hashRow(parts), ...headerRows(parts)]);
