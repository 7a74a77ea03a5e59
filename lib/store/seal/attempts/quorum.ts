import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { badRequest } from '#core/errors.ts';
import type { Barrier } from '../../store.ts';
import type { Database } from '../../tables.ts';
import { openRootKey, type SealRecord, sealRootKey } from '../record.ts';
import { putRecoveryKey, recoveryAad } from '../shares/recovery.ts';
import type { ShareRule } from '../shares/shares.ts';
import type { AttemptKind } from './stored.ts';

/** A key that is split among its holders: what its shares prove, and how it is replaced. */
export interface Quorum {
  readonly kind: Extract<AttemptKind, 'rekey' | 'recovery-rekey'>;
  /** How many shares are needed as proof. @throws AppError `bad-request` when the seal has no such key */
  ruleOf(record: SealRecord): ShareRule;
  /** What the key proves; undefined when it is not the key of this quorum. */
  proofOf(record: SealRecord, key: Buffer): Proof | undefined;
  /** Whether `renewed` was made from this key. */
  isNew(record: SealRecord, renewed: Buffer, key: Buffer): boolean;
  /** Makes the new shares valid and the previous ones invalid. */
  putInForce(tx: Kysely<Database>, renewed: Buffer, rule: ShareRule): Promise<void>;
}

/** Proves that enough shares of the current key were given. */
export interface Proof {
  /** Wraps a new key so that only its holders or an unsealed process can use it. */
  renew(key: Buffer): Buffer;
  /** Overwrites the key material in the proof. */
  end(): void;
}

/** The quorum of the key shares that unseal the service. */
export const unsealQuorum: Quorum = {
  kind: 'rekey',
  ruleOf(record) {
    if (record.type === 'shamir') return record;
    throw badRequest(
      'rekeying applies to key shares, which the automatic seal does not have, since its key is configured: use rekey-recovery-key to change recovery keys',
    );
  },
  proofOf(record, key) {
    const rootKey = rootKeyBy(record, key);
    return (
      rootKey && {
        renew: (next) => sealRootKey(rootKey, next, record.cluster_id),
        end: () => rootKey.fill(0),
      }
    );
  },
  isNew(record, renewed, key) {
    const rootKey = rootKeyBy({ ...record, root_key: renewed }, key);
    rootKey?.fill(0);
    return rootKey !== undefined;
  },
  async putInForce(tx, renewed, { shares, threshold }) {
    await tx.updateTable('seal').set({ root_key: renewed, shares, threshold }).where('id', '=', 1).execute();
  },
};

/**
 * The quorum of the recovery key, which authorises operations under the automatic seal but unseals nothing. If there is no recovery
 * key yet, the configured key of a static seal is its only share.
 */
export const recoveryQuorum = (barrier: Barrier): Quorum => {
  const isKey = ({ cluster_id }: SealRecord, sealed: Buffer, key: Buffer): boolean => {
    const stored = barrier.open(sealed, recoveryAad(cluster_id));
    const same = stored.length === key.length && timingSafeEqual(stored, key);
    stored.fill(0);
    return same;
  };
  return {
    kind: 'recovery-rekey',
    ruleOf: recoveryRule,
    proofOf(record, key) {
      const isRight =
        record.recovery_key === null
          ? unsealQuorum.isNew(record, record.root_key, key)
          : isKey(record, record.recovery_key, key);
      if (!isRight) return undefined;
      return { renew: (next) => barrier.seal(next, recoveryAad(record.cluster_id)), end: () => {} };
    },
    isNew: isKey,
    putInForce: putRecoveryKey,
  };
};

function recoveryRule(record: SealRecord): ShareRule {
  if (record.type === 'shamir') {
    throw badRequest(
      'recovery keys belong to the automatic seal, and this service is unsealed by key shares: use rekey to change these',
    );
  }
  if (record.recovery_key === null) {
    if (record.type === 'static') return { shares: 1, threshold: 1 };
    throw badRequest(
      'this installation was initialised without recovery keys, and the key of its seal cannot be entered as a share',
    );
  }
  return { shares: record.recovery_shares, threshold: record.recovery_threshold };
}

/** The quorum that authorises administrators: holders of key shares, or of recovery keys with the automatic seal. */
export const quorumOf = ({ type }: SealRecord, barrier: Barrier): Quorum =>
  type === 'shamir' ? unsealQuorum : recoveryQuorum(barrier);

/** The root key, if the key opens it. */
function rootKeyBy(record: SealRecord, key: Buffer): Buffer | undefined {
  try {
    return openRootKey(record, key);
  } catch {
    return undefined;
  }
}
