import type { Operation } from '../operation.ts';

/** Requests below `sys/` that are not about the sync. */
export const system = {
  sealStatus: { method: 'GET', path: 'sys/seal-status' },
  health: { method: 'GET', path: 'sys/health' },
  initialise: {
    method: 'POST',
    path: 'sys/init',
    fields: ['secret_shares', 'secret_threshold', 'recovery_shares', 'recovery_threshold'],
  },
  unseal: { method: 'POST', path: 'sys/unseal', fields: ['key', 'reset'] },
  metrics: { method: 'GET', path: 'sys/metrics', fields: ['format'] },
  mounts: { method: 'GET', path: 'sys/internal/ui/mounts' },
  mountOf: { method: 'GET', path: 'sys/internal/ui/mounts/{path}' },
  validateCodes: { method: 'POST', path: 'sys/mfa/validate', fields: ['mfa_request_id', 'mfa_payload'] },
  capabilities: { method: 'POST', path: 'sys/capabilities-self', fields: ['paths'] },
  listPolicies: { method: 'LIST', path: 'sys/policies/acl' },
  readPolicy: { method: 'GET', path: 'sys/policies/acl/{name}' },
  writePolicy: { method: 'POST', path: 'sys/policies/acl/{name}', fields: ['policy'] },
  testPolicy: {
    method: 'POST',
    path: 'sys/policies/test',
    fields: ['path', 'capability', 'sudo', 'parameters', 'wrap_ttl', 'accessor', 'policy'],
  },
  deletePolicy: { method: 'DELETE', path: 'sys/policies/acl/{name}' },
  authMounts: { method: 'GET', path: 'sys/auth' },
  enableAuth: { method: 'POST', path: 'sys/auth/{path}', fields: ['type', 'description', 'config'] },
  plugins: { method: 'GET', path: 'sys/plugins/catalog' },
  listAudit: { method: 'GET', path: 'sys/audit' },
  enableAudit: { method: 'POST', path: 'sys/audit/{path}', fields: ['type', 'description', 'options'] },
  disableAudit: { method: 'DELETE', path: 'sys/audit/{path}' },
  hashAudit: { method: 'POST', path: 'sys/audit-hash/{path}', fields: ['input'] },
} as const satisfies Record<string, Operation>;
