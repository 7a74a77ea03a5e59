import type { Row } from '../../path/row.ts';
import { appRows } from './apps.ts';
import { associationChangeRows } from './association-change.ts';
import { associationReadRows } from './association-reads.ts';
import { configRow } from './config.ts';
import { destinationRow } from './destination.ts';
import { destinationLists } from './destinations.ts';
import type { SyncParts } from './parts.ts';
import { replayRow } from './replay.ts';
import { unknownTypeRow } from './unknown-type.ts';

/** All rows of `sys/sync`, relative to the mount `sys/`. */
export function syncRows(parts: SyncParts): readonly Row[] {
  return [
    configRow(parts),
    replayRow(parts),
    ...destinationLists(parts),
    ...parts.definitions.map((definition) => destinationRow(parts, definition)),
    unknownTypeRow(parts),
    ...associationReadRows(parts),
    ...associationChangeRows(parts),
    ...appRows(parts),
  ];
}
