import { tokenEngine } from '../../lib/auth/token/rows.ts';
import { definitions } from '../../lib/destinations/index.ts';
import { kvV1 } from '../../lib/engines/kv/v1/index.ts';
import { kvV2 } from '../../lib/engines/kv/v2/index.ts';
import { activationRows } from '../../lib/engines/sys/activation.ts';
import { metricsRow } from '../../lib/engines/sys/metrics.ts';
import { mountRows } from '../../lib/engines/sys/mounts/index.ts';
import { sealRows } from '../../lib/engines/sys/seal/index.ts';
import type { Row } from '../../lib/path/row.ts';
import { syncRows } from '../../lib/sync/rows/index.ts';

/** What handlers would be handed. Nobody calls a handler here; rows are made without looking at it. */
const nothing: never = new Proxy(() => nothing, {
  get: (_target, member) => (member === 'definitions' ? definitions : nothing),
  apply: () => nothing,
}) as never;

/** Every row of the service, by the mount it belongs to. */
export const realTable: Readonly<Record<string, readonly Row[]>> = {
  sys: [...sealRows(nothing), ...mountRows(nothing), ...activationRows, metricsRow(nothing), ...syncRows(nothing)],
  'auth/token': tokenEngine(nothing).rows,
  'kv version 1': kvV1(nothing).rows,
  'kv version 2': kvV2(nothing).engine.rows,
};
