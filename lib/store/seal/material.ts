import { randomBytes } from 'node:crypto';
import { randomHex8, uuid } from '../../core/ids.ts';
import { keyBytes } from '../encryption/cipher.ts';
import { type Keyring, newKeyring } from '../encryption/keyring.ts';
import { type SealRecord, sealKeyring, sealRootKey } from './record.ts';
import { type ShareRule, splitKey } from './shares.ts';

/** Everything that initialising makes, before it is stored. */
export interface SealMaterial {
  readonly record: SealRecord;
  readonly rootKey: Buffer;
  readonly keyring: Keyring;
  readonly shares: readonly Buffer[];
}

/** With a configured key that one is the unseal key, and there are no shares; else a new one is split by the rule. */
export async function newMaterial(rule: ShareRule, staticKey: Buffer | undefined, now: Date): Promise<SealMaterial> {
  const unsealKey = staticKey ?? randomBytes(keyBytes);
  const rootKey = randomBytes(keyBytes);
  const keyring = newKeyring(now);
  const clusterId = uuid();
  const record: SealRecord = {
    id: 1,
    type: staticKey === undefined ? 'shamir' : 'static',
    shares: staticKey === undefined ? rule.shares : 0,
    threshold: staticKey === undefined ? rule.threshold : 0,
    root_key: sealRootKey(rootKey, unsealKey, clusterId),
    keyring: sealKeyring(keyring, rootKey, clusterId),
    cluster_id: clusterId,
    cluster_name: `keyferry-cluster-${randomHex8()}`,
    revision: 1,
    ...{ recovery_shares: 0, recovery_threshold: 0, recovery_key: null, seals: 0 },
  };
  if (staticKey !== undefined) return { record, rootKey, keyring, shares: [] };
  const shares = await splitKey(unsealKey, rule);
  unsealKey.fill(0);
  return { record, rootKey, keyring, shares };
}
