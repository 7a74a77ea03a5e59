import type { Row } from '../../../path/row.ts';
import { internalRows } from './internal.ts';
import { mountListRow } from './list.ts';
import { mountRow } from './mount.ts';
import type { MountParts } from './parts.ts';
import { remountRows } from './remount.ts';
import { tuneRow } from './tune.ts';

/** `sys/mounts`, `sys/remount` and `sys/internal/ui/mounts`. */
export function mountRows(parts: MountParts): readonly Row[] {
  return [mountListRow(parts), mountRow(parts), tuneRow(parts), ...remountRows(parts), ...internalRows(parts)];
}
