import type { Row } from '#path/contract/row.ts';
import { internalRows } from './internal.ts';
import { authKind, secretKind } from './kind/kind.ts';
import { mountListRow, removalsRow } from './list.ts';
import { mountRow } from './mount.ts';
import type { MountParts } from './parts.ts';
import { pluginRows } from './plugins.ts';
import { remountRows } from './remount.ts';
import { tuneRow } from './tuning.ts';

/** `sys/mounts`, `sys/auth`, `sys/remount`, `sys/internal/ui/mounts` and `sys/plugins/catalog`. */
export function mountRows(parts: MountParts): readonly Row[] {
  const kinds = [secretKind(parts), authKind(parts)];
  return [
    ...kinds.flatMap((kind) => [mountListRow(parts, kind), mountRow(parts, kind), tuneRow(parts, kind)]),
    ...remountRows(parts, kinds),
    removalsRow(parts),
    ...internalRows(parts),
    ...pluginRows(parts),
  ];
}
