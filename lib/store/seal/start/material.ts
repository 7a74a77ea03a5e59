import { randomBytes } from 'node:crypto';
import { randomHex8, uuid } from '#core/ids.ts';
import { keyBytes } from '../../encryption/cipher.ts';
import { type Keyring, newKeyring } from '../../encryption/keyring.ts';
import { type OuterKey, outerKeyMsMax } from '../keys/root-key-source.ts';
import { type SealRecord, sealKeyring, sealRootKey } from '../record.ts';
import { type ShareRule, splitKey } from '../shares/shares.ts';

/** Everything that initialisation generates, before it is stored. */
export interface SealMaterial {
  readonly record: SealRecord;
  readonly rootKey: Buffer;
  readonly keyring: Keyring;
  readonly shares: readonly Buffer[];
}

/** With an outer key there are no shares; otherwise a new unseal key is split according to the rule. */
export async function newMaterial(
  rule: ShareRule,
  outerKey: Pick<OuterKey, 'type' | 'wrapRootKey'> | undefined,
  now: Date,
): Promise<SealMaterial> {
  const rootKey = randomBytes(keyBytes);
  const keyring = newKeyring(now);
  const clusterId = uuid();
  const { shares, sealed } =
    outerKey === undefined ? await byShares(rootKey, clusterId, rule) : await byOuterKey(rootKey, clusterId, outerKey);
  const record: SealRecord = {
    id: 1,
    ...sealed,
    keyring: sealKeyring(keyring, rootKey, clusterId),
    cluster_id: clusterId,
    cluster_name: `keyferry-cluster-${randomHex8()}`,
    revision: 1,
    recovery_shares: 0,
    recovery_threshold: 0,
    recovery_key: null,
    seals: 0,
  };
  return { record, rootKey, keyring, shares };
}

async function byShares(rootKey: Buffer, clusterId: string, rule: ShareRule) {
  const unsealKey = randomBytes(keyBytes);
  try {
    const { shares: count, threshold } = rule;
    const root_key = sealRootKey(rootKey, unsealKey, clusterId);
    const sealed = { type: 'shamir' as const, root_key, key_id: '', shares: count, threshold };
    return { sealed, shares: await splitKey(unsealKey, rule) };
  } finally {
    unsealKey.fill(0);
  }
}

async function byOuterKey(rootKey: Buffer, clusterId: string, outerKey: Pick<OuterKey, 'type' | 'wrapRootKey'>) {
  const inTime = AbortSignal.timeout(outerKeyMsMax);
  const { wrapped, keyId } = await outerKey.wrapRootKey(rootKey, clusterId, inTime);
  const sealed = { type: outerKey.type, root_key: wrapped, key_id: keyId, shares: 0, threshold: 0 };
  return { sealed, shares: [] };
}
