import type { Kysely } from 'kysely';
import type { Clock } from '#core/clock.ts';
import { badRequest } from '#core/errors.ts';
import { KeyringBarrier } from '../../encryption/barrier.ts';
import type { Database } from '../../tables.ts';
import { inTransaction } from '../../transaction.ts';
import { quorumOf } from '../attempts/quorum.ts';
import { outerKeyMsMax } from '../keys/root-key-source.ts';
import { openKeyring, openRootKey, readRecord, type SealRecord, sealRootKey } from '../record.ts';
import { recoveryAad } from '../shares/recovery.ts';
import { wrongShares } from '../shares/root-key.ts';
import { combineShares, type ShareRule } from '../shares/shares.ts';
import type { ConfiguredKeys } from './match.ts';

export interface MigrationParts extends ConfiguredKeys {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}

export interface Migrated {
  readonly record: SealRecord;
  readonly rootKey: Buffer;
}

/** The columns that a migration changes. The root key and the keyring stay, so unsealed processes can continue. */
type Sealed = Pick<
  SealRecord,
  'type' | 'root_key' | 'key_id' | 'shares' | 'threshold' | 'recovery_key' | 'recovery_shares' | 'recovery_threshold'
>;

/**
 * Changes the seal to the configured one. Holders keep their shares: key shares become shares of the recovery key, and vice versa. All
 * external calls come first, then a single row changes in a transaction, so a crash leaves either the old seal or the new one.
 *
 * @throws AppError `bad-request` for wrong shares, and when the seal has changed meanwhile
 */
export async function migrateSeal(
  parts: MigrationParts,
  record: SealRecord,
  shares: readonly Buffer[],
  rule: ShareRule,
): Promise<Migrated> {
  const key = await combineShares(shares, rule).catch((cause: unknown) => {
    throw wrongShares(cause);
  });
  const rootKey = await rootKeyOf(parts, record, key);
  const barrier = new KeyringBarrier(parts.clock);
  try {
    barrier.load(openKeyring(record, rootKey));
    mustProve(barrier, record, key);
    const sealed = await newSealOf(parts, record, { rootKey, key, rule, barrier });
    return { record: await store(parts.db, record, sealed), rootKey };
  } catch (error) {
    rootKey.fill(0);
    throw error;
  } finally {
    barrier.unload();
    key.fill(0);
  }
}

/** With an automatic seal, not the shares but the former key opens the root key. */
async function rootKeyOf({ formerKey }: MigrationParts, record: SealRecord, key: Buffer): Promise<Buffer> {
  if (record.type !== 'shamir') {
    if (formerKey === undefined) throw new Error('a seal cannot be migrated without its former key');
    return formerKey.openRootKey(record, AbortSignal.timeout(outerKeyMsMax));
  }
  try {
    return openRootKey(record, key);
  } catch (cause) {
    throw wrongShares(cause);
  }
}

function mustProve(barrier: KeyringBarrier, record: SealRecord, key: Buffer): void {
  const proof = quorumOf(record, barrier).proofOf(record, key);
  if (proof === undefined) throw wrongShares();
  proof.end();
}

interface Opened {
  readonly rootKey: Buffer;
  /** The key that the shares combine to. */
  readonly key: Buffer;
  readonly rule: ShareRule;
  readonly barrier: KeyringBarrier;
}

async function newSealOf({ outerKey }: MigrationParts, record: SealRecord, opened: Opened): Promise<Sealed> {
  const { rootKey, key, rule, barrier } = opened;
  const { cluster_id: clusterId } = record;
  const noRecovery = { recovery_key: null, recovery_shares: 0, recovery_threshold: 0 };
  if (outerKey === undefined) {
    const root_key = sealRootKey(rootKey, key, clusterId);
    return { type: 'shamir', root_key, key_id: '', shares: rule.shares, threshold: rule.threshold, ...noRecovery };
  }
  const { wrapped, keyId } = await outerKey.wrapRootKey(rootKey, clusterId, AbortSignal.timeout(outerKeyMsMax));
  const sealed = { type: outerKey.type, root_key: wrapped, key_id: keyId, shares: 0, threshold: 0 };
  if (record.recovery_key !== null) {
    const { recovery_key, recovery_shares, recovery_threshold } = record;
    return { ...sealed, recovery_key, recovery_shares, recovery_threshold };
  }
  // Without a recovery key, a static key is itself the proof. The key of a key service never leaves it, so it needs a recovery key.
  if (record.type === 'static' && outerKey.type === 'static') return { ...sealed, ...noRecovery };
  const recovery_key = barrier.seal(key, recoveryAad(clusterId));
  return { ...sealed, recovery_key, recovery_shares: rule.shares, recovery_threshold: rule.threshold };
}

async function store(db: Kysely<Database>, before: SealRecord, sealed: Sealed): Promise<SealRecord> {
  try {
    return await inTransaction(db, async (tx) => {
      const now = await tx.selectFrom('seal').selectAll().where('id', '=', 1).forUpdate().executeTakeFirstOrThrow();
      if (!isSame(now, before)) throw badRequest('the seal was changed meanwhile: start again with the first share');
      const next = { ...sealed, revision: now.revision + 1 };
      await tx.updateTable('seal').set(next).where('id', '=', 1).execute();
      // Attempts in progress hold shares of the previous seal.
      await tx.deleteFrom('key_attempts').execute();
      return { ...now, ...next };
    });
  } catch (error) {
    // The transaction may have been committed although the reply to COMMIT was lost.
    const stored = await readRecord(db).catch(() => undefined);
    if (stored?.root_key.equals(sealed.root_key) === true) return stored;
    throw error;
  }
}

const isSame = (one: SealRecord, other: SealRecord): boolean =>
  one.root_key.equals(other.root_key) &&
  Buffer.compare(one.recovery_key ?? Buffer.of(), other.recovery_key ?? Buffer.of()) === 0;
