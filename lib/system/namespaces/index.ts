import type { Row } from '#path/contract/row.ts';
import { listRows } from './list.ts';
import { lockRows } from './lock.ts';
import { type NamespaceRowParts, namespaceRow } from './namespace.ts';

/** `sys/namespaces` and `sys/internal/ui/namespaces`. */
export const namespaceRows = (parts: NamespaceRowParts): readonly Row[] => [
  ...listRows(parts.namespaces),
  namespaceRow(parts),
  ...lockRows(parts.namespaces),
];
