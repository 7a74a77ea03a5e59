import type { Row } from '#path/contract/row.ts';
import { quotaConfigRow } from './config.ts';
import { leaseCountRows, type QuotaParts, rateLimitRows } from './rows.ts';

/** `sys/quotas/`. */
export const quotaRows = (parts: QuotaParts): readonly Row[] => [
  quotaConfigRow(parts.store, parts.changed),
  ...rateLimitRows(parts),
  ...leaseCountRows(parts),
];
