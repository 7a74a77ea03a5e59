import type { Row } from '#path/contract/row.ts';
import { appRows } from './apps/rows.ts';
import { associationReadRows } from './associations/reads.ts';
import { associationChangeRows } from './associations/rows.ts';
import { planAllRow } from './batches/plans/of-all.ts';
import { planRow } from './batches/plans/of-destination.ts';
import { keptPlanRows } from './batches/plans/rows.ts';
import { replayRow } from './batches/replay.ts';
import { batchRows } from './batches/rows.ts';
import { configRow } from './config/row.ts';
import { checkRow } from './destinations/check.ts';
import { foreignRow } from './destinations/foreign.ts';
import { destinationLists, unknownTypeRow } from './destinations/lists.ts';
import { destinationRow } from './destinations/row.ts';
import { overviewRow } from './overview/row.ts';
import { samplesRow } from './overview/samples/row.ts';
import type { SyncParts } from './parts.ts';
import { recordRows } from './records/rows.ts';
import { ruleRows } from './rules/rows.ts';
import { typeRows } from './types/rows.ts';

/** All rows of `sys/sync`, relative to the mount `sys/`. */
export function syncRows(parts: SyncParts): readonly Row[] {
  return [
    configRow(parts),
    replayRow(parts),
    ...typeRows(parts),
    ...batchRows(parts),
    planAllRow(parts),
    ...keptPlanRows(parts),
    ...destinationLists(parts),
    ...parts.definitions.map((definition) => destinationRow(parts, definition)),
    ...parts.definitions.map((definition) => checkRow(parts, definition)),
    ...parts.definitions.map((definition) => planRow(parts, definition)),
    ...parts.definitions.map((definition) => foreignRow(parts, definition)),
    unknownTypeRow(parts),
    ...associationReadRows(parts),
    ...associationChangeRows(parts),
    ...appRows(parts),
    overviewRow(parts),
    ...recordRows(parts),
    ...ruleRows(parts),
    samplesRow(parts),
  ];
}
