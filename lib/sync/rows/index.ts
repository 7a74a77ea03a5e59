import type { Row } from '../../path/contract/row.ts';
import { appRows } from './apps/rows.ts';
import { associationReadRows } from './associations/reads.ts';
import { associationChangeRows } from './associations/rows.ts';
import { configRow } from './config/row.ts';
import { destinationLists } from './destinations/lists.ts';
import { destinationRow } from './destinations/row.ts';
import { unknownTypeRow } from './destinations/unknown-type.ts';
import type { SyncParts } from './parts.ts';
import { replayRow } from './replay.ts';

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
