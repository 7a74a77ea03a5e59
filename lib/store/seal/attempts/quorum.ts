import { timingSafeEqual } from 'node:crypto';
import type { Kysely } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import type { Barrier } from '../../store.ts';
import type { Database, KeyAttemptsTable } from '../../tables.ts';
import { openRootKey, type SealRecord, sealRootKey } from '../record.ts';
import { putRecoveryKey, recoveryAad } from '../recovery.ts';
import type { ShareRule } from '../shares/shares.ts';

/** A key that is split among people: what its shares prove, and how another one takes its place. */
export interface Quorum {
  readonly kind: Extract<KeyAttemptsTable['kind'], 'rekey' | 'recovery-rekey'>;
  /** How many shares prove that their holders want something. @throws AppError `bad-request` where the seal has no such key */
  ruleOf(record: SealRecord): ShareRule;
  /** What the key proves; undefined: it is not this one. */
  proofOf(record: SealRecord, key: Buffer): Proof | undefined;
  /** Whether a key is the one that `renewed` was made of. */
  isNew(record: SealRecord, renewed: Buffer, key: Buffer): boolean;
  /** From now on the shares of this rule count, and those before them do not. */
  putInForce(tx: Kysely<Database>, renewed: Buffer, rule: ShareRule): Promise<void>;
}

/** The shares of the present key were given. */
export interface Proof {
  /** Another key in a form that only holders of it, or an unsealed process, can use. */
  renew(key: Buffer): Buffer;
  /** Overwrites what the proof holds. */
  end(): void;
}

/** Key shares that unseal the service. */
export const unsealQuorum: Quorum = {
  kind: 'rekey',
  ruleOf(record) {
    if (record.type === 'shamir') return record;
    throw badRequest(
      'rekeying applies to key shares: the automatic seal has none, its key is configured; rekey-recovery-key changes recovery keys',
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
 * Shares of the recovery key, which proves a right under the automatic seal and unseals nothing. Where there is none yet, the
 * configured key of the seal is the one share.
 */
export const recoveryQuorum = (barrier: Barrier): Quorum => {
  const isKey = ({ cluster_id }: SealRecord, sealed: Buffer, key: Buffer): boolean => {
    const kept = barrier.open(sealed, recoveryAad(cluster_id));
    const same = kept.length === key.length && timingSafeEqual(kept, key);
    kept.fill(0);
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
      'recovery keys are of the automatic seal: this service is unsealed by key shares, which rekey changes',
    );
  }
  if (record.recovery_key === null) {
    if (record.type === 'static') return { shares: 1, threshold: 1 };
    throw badRequest(
      'this installation was initialised without recovery keys, and the key of its seal cannot be given',
    );
  }
  return { shares: record.recovery_shares, threshold: record.recovery_threshold };
}

/** Whose holders may act as administrators: of key shares, or of recovery keys with the automatic seal. */
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
