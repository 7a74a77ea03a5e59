import { auditRows } from '../../lib/audit/rows/index.ts';
import { policyRows } from '../../lib/auth/policy/rows/index.ts';
import { tokenMethod } from '../../lib/auth/token/rows/index.ts';
import { wrappingRows } from '../../lib/auth/wrapping/rows.ts';
import { definitions } from '../../lib/destinations/index.ts';
import { cubbyhole } from '../../lib/engines/cubbyhole/index.ts';
import { engines } from '../../lib/engines/index.ts';
import { kvV1 } from '../../lib/engines/kv/v1/index.ts';
import { kvV2 } from '../../lib/engines/kv/v2/index.ts';
import { activationRows } from '../../lib/engines/sys/activation.ts';
import { configRows } from '../../lib/engines/sys/config/index.ts';
import { leaseRows } from '../../lib/engines/sys/leases/index.ts';
import { messageRows } from '../../lib/engines/sys/messages.ts';
import { metricsRow } from '../../lib/engines/sys/metrics.ts';
import { mountRows } from '../../lib/engines/sys/mounts/index.ts';
import { quotaRows } from '../../lib/engines/sys/quotas/index.ts';
import { sealRows } from '../../lib/engines/sys/seal/index.ts';
import { toolRows } from '../../lib/engines/sys/tools/index.ts';
import type { Row } from '../../lib/path/row.ts';
import { syncRows } from '../../lib/sync/rows/index.ts';

const known: Readonly<Record<PropertyKey, unknown>> = { definitions, engines, syncedMounts: 'KV v2' };

/** What handlers would be handed. Nobody calls a handler here; of all that is handed, rows are made of what is known only. */
const nothing: never = new Proxy(() => nothing, {
  get: (_target, member) => known[member] ?? nothing,
  apply: () => nothing,
}) as never;

/** Every row of the service, by the mount it belongs to. */
export const realTable: Readonly<Record<string, readonly Row[]>> = {
  sys: [
    ...sealRows(nothing),
    ...mountRows(nothing),
    ...activationRows,
    ...messageRows,
    ...policyRows(nothing),
    ...leaseRows(nothing),
    ...wrappingRows(nothing),
    ...toolRows(),
    ...auditRows(nothing),
    ...configRows(nothing, nothing),
    ...quotaRows(nothing),
    metricsRow(nothing),
    ...syncRows(nothing),
  ],
  'auth/token': tokenMethod.open(nothing).rows,
  cubbyhole: cubbyhole(nothing).rows,
  'kv version 1': kvV1.open(nothing).rows,
  'kv version 2': kvV2.open(nothing).rows,
};
