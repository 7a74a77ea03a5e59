import { auditRows } from '../../lib/audit/rows/index.ts';
import { identityEngine } from '../../lib/auth/identity/rows/index.ts';
import { lockoutRows } from '../../lib/auth/lockout/rows.ts';
import { approle } from '../../lib/auth/methods/approle/index.ts';
import type { MethodParts } from '../../lib/auth/methods/contract.ts';
import { methods } from '../../lib/auth/methods/index.ts';
import { jwtMethod } from '../../lib/auth/methods/jwt/index.ts';
import { enabledMethods } from '../../lib/auth/methods/open.ts';
import { orchestratorMethod } from '../../lib/auth/methods/orchestrator/index.ts';
import { userpass } from '../../lib/auth/methods/userpass/index.ts';
import { enforcementRows } from '../../lib/auth/mfa/enforcements/rows.ts';
import { validateRow } from '../../lib/auth/mfa/login/validate.ts';
import { methodByIdRows } from '../../lib/auth/mfa/methods/by-id.ts';
import { methodRows } from '../../lib/auth/mfa/methods/by-name.ts';
import { policyRows } from '../../lib/auth/policy/rows/index.ts';
import { loginOperations } from '../../lib/auth/token/login.ts';
import { tokenMethod } from '../../lib/auth/token/rows/index.ts';
import { wrappingRows } from '../../lib/auth/wrapping/rows.ts';
import { definitions } from '../../lib/destinations/index.ts';
import { cubbyhole } from '../../lib/engines/cubbyhole/index.ts';
import { engines } from '../../lib/engines/index.ts';
import { kvV1 } from '../../lib/engines/kv/v1/index.ts';
import { kvV2 } from '../../lib/engines/kv/v2/index.ts';
import { activationRows } from '../../lib/engines/sys/activation.ts';
import { configRows } from '../../lib/engines/sys/config/index.ts';
import { messageRows } from '../../lib/engines/sys/config/messages.ts';
import { diagnosisRows } from '../../lib/engines/sys/diagnosis/index.ts';
import { metricsRow } from '../../lib/engines/sys/diagnosis/metrics.ts';
import { keyRows } from '../../lib/engines/sys/keys/index.ts';
import { leaseRows } from '../../lib/engines/sys/leases/index.ts';
import { mountRows } from '../../lib/engines/sys/mounts/index.ts';
import { namespaceRows } from '../../lib/engines/sys/namespaces/index.ts';
import { quotaRows } from '../../lib/engines/sys/quotas/index.ts';
import { sealRows } from '../../lib/engines/sys/seal/index.ts';
import { specsRow } from '../../lib/engines/sys/specs/index.ts';
import { toolRows } from '../../lib/engines/sys/tools/index.ts';
import type { Row } from '../../lib/path/contract/row.ts';
import { syncRows } from '../../lib/sync/rows/index.ts';

const known: Readonly<Record<PropertyKey, unknown>> = {
  definitions,
  engines,
  methods: enabledMethods(methods),
  syncedMounts: 'KV v2',
};

/** What handlers would be handed. Nobody calls a handler here; of all that is handed, rows are made of what is known only. */
const nothing: never = new Proxy(() => nothing, {
  get: (_target, member) => known[member] ?? nothing,
  apply: () => nothing,
}) as never;

/** Logins are made as the service makes them. */
const loginParts = { store: nothing, login: loginOperations(nothing) } as unknown as MethodParts;

/** Every row of the service, by the mount it belongs to. */
export const realTable: Readonly<Record<string, readonly Row[]>> = {
  sys: [
    ...sealRows(nothing),
    ...keyRows(nothing),
    ...diagnosisRows(nothing),
    ...mountRows(nothing),
    ...namespaceRows(nothing),
    ...activationRows,
    ...messageRows,
    ...policyRows(nothing),
    ...leaseRows(nothing),
    ...lockoutRows(nothing),
    ...methodRows(nothing),
    validateRow(nothing),
    ...wrappingRows(nothing),
    ...toolRows(),
    ...auditRows(nothing),
    ...configRows(nothing, nothing, nothing),
    ...quotaRows(nothing),
    specsRow(nothing),
    metricsRow(nothing),
    ...syncRows(nothing),
  ],
  'auth/token': tokenMethod.open(nothing).rows,
  'auth/jwt': jwtMethod.open(loginParts).rows,
  'auth/orchestrator': orchestratorMethod.open(loginParts).rows,
  'auth/userpass': userpass.open(loginParts).rows,
  'auth/approle': approle.open(loginParts).rows,
  cubbyhole: cubbyhole(nothing).rows,
  identity: [...identityEngine(nothing).rows, ...methodByIdRows(nothing), ...enforcementRows(nothing)],
  'kv version 1': kvV1.open(nothing).rows,
  'kv version 2': kvV2.open(nothing).rows,
};
