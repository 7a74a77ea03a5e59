import type { Operation } from '../operation.ts';

const given = ['key', 'nonce'] as const;

/** A change of the key shares that unseal the service. */
export const rekey = {
  status: { method: 'GET', path: 'sys/rekey/init' },
  begin: {
    method: 'POST',
    path: 'sys/rekey/init',
    fields: ['secret_shares', 'secret_threshold', 'require_verification'],
  },
  cancel: { method: 'DELETE', path: 'sys/rekey/init' },
  give: { method: 'POST', path: 'sys/rekey/update', fields: given },
  verification: { method: 'GET', path: 'sys/rekey/verify' },
  verify: { method: 'POST', path: 'sys/rekey/verify', fields: given },
  restartVerification: { method: 'DELETE', path: 'sys/rekey/verify' },
} as const satisfies Record<string, Operation>;

/** The same for the recovery keys of an automatic seal. */
export const recoveryRekey = {
  status: { method: 'GET', path: 'sys/rekey-recovery-key/init' },
  begin: {
    method: 'POST',
    path: 'sys/rekey-recovery-key/init',
    fields: ['secret_shares', 'secret_threshold', 'require_verification'],
  },
  cancel: { method: 'DELETE', path: 'sys/rekey-recovery-key/init' },
  give: { method: 'POST', path: 'sys/rekey-recovery-key/update', fields: given },
  verification: { method: 'GET', path: 'sys/rekey-recovery-key/verify' },
  verify: { method: 'POST', path: 'sys/rekey-recovery-key/verify', fields: given },
  restartVerification: { method: 'DELETE', path: 'sys/rekey-recovery-key/verify' },
} as const satisfies Record<string, Operation>;
