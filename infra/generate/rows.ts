import { auditRows } from '#audit/rows/index.ts';
import { identityEngine } from '#auth/identity/rows/index.ts';
import { lockoutRows } from '#auth/lockout/rows.ts';
import { loginOperations } from '#auth/login/operation.ts';
import { approle } from '#auth/methods/approle/index.ts';
import type { MethodParts } from '#auth/methods/contract.ts';
import { methods } from '#auth/methods/index.ts';
import { jwtMethod } from '#auth/methods/jwt/index.ts';
import { enabledMethods } from '#auth/methods/open.ts';
import { orchestratorMethod } from '#auth/methods/orchestrator/index.ts';
import { tokenMethod } from '#auth/methods/token/index.ts';
import { userpass } from '#auth/methods/userpass/index.ts';
import { validateRow } from '#auth/mfa/login/validate.ts';
import { enforcementRows } from '#auth/mfa/rows/enforcements.ts';
import { methodByIdRows } from '#auth/mfa/rows/methods-by-id.ts';
import { methodRows } from '#auth/mfa/rows/methods-by-name.ts';
import { passwordPolicyRows } from '#auth/password-policy/rows.ts';
import { policyRows } from '#auth/policy/rows/index.ts';
import { capabilityRows } from '#auth/token/rows/capabilities.ts';
import { wrappingRows } from '#auth/wrapping/rows.ts';
import { definitions } from '#destinations/index.ts';
import { cubbyhole } from '#engines/cubbyhole/index.ts';
import { engines } from '#engines/index.ts';
import { kvV1 } from '#engines/kv/v1/index.ts';
import { kvV2 } from '#engines/kv/v2/index.ts';
import { noticeRows } from '#notices/rows/index.ts';
import type { Row } from '#path/contract/row.ts';
import { syncRows } from '#sync/rows/index.ts';
import { configRows } from '#system/config/index.ts';
import { diagnosisRows } from '#system/diagnosis/index.ts';
import { metricsRow } from '#system/diagnosis/metrics.ts';
import { activationRows, messageRows } from '#system/fixed-replies.ts';
import { keyRows } from '#system/keys/index.ts';
import { leaseRows } from '#system/leases/index.ts';
import { mountRows } from '#system/mounts/index.ts';
import { namespaceRows } from '#system/namespaces/index.ts';
import { quotaRows } from '#system/quotas/index.ts';
import { sealRows } from '#system/seal/index.ts';
import { specsRow } from '#system/specs/index.ts';
import { toolRows } from '#system/tools/index.ts';

const known: Readonly<Record<PropertyKey, unknown>> = {
  definitions,
  engines,
  methods: enabledMethods(methods),
  syncedMounts: 'KV v2',
};

/** Placeholder arguments of handlers, which are not called here; the rows themselves depend only on known values. */
const nothing: never = new Proxy(() => nothing, {
  get: (_target, member) => known[member] ?? nothing,
  apply: () => nothing,
}) as never;

/** Logins are built as in the service. */
const loginParts = { store: nothing, login: loginOperations(nothing) } as unknown as MethodParts;

/** Every row of the service, by its mount. */
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
    ...capabilityRows(nothing),
    ...passwordPolicyRows(nothing),
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
    ...noticeRows(nothing),
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
