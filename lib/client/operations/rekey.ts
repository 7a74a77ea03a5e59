import type { Operation } from '../operation.ts';

const given = ['key', 'nonce'] as const;

const rekeyAt = <Path extends string>(path: Path) =>
  ({
    status: { method: 'GET', path: `${path}/init` },
    begin: {
      method: 'POST',
      path: `${path}/init`,
      fields: ['secret_shares', 'secret_threshold', 'require_verification'],
    },
    cancel: { method: 'DELETE', path: `${path}/init` },
    give: { method: 'POST', path: `${path}/update`, fields: given },
    verification: { method: 'GET', path: `${path}/verify` },
    verify: { method: 'POST', path: `${path}/verify`, fields: given },
    restartVerification: { method: 'DELETE', path: `${path}/verify` },
  }) as const satisfies Record<string, Operation>;

/** A change of the key shares that unseal the service. */
export const rekey = rekeyAt('sys/rekey');

/** The same for the recovery keys of an automatic seal. */
export const recoveryRekey = rekeyAt('sys/rekey-recovery-key');
