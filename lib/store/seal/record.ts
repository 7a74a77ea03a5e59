import type { Kysely, Selectable } from 'kysely';
import { decrypt, encrypt } from '../encryption/cipher.ts';
import { decodeKeyring, encodeKeyring, type Keyring } from '../encryption/keyring.ts';
import type { Database, SealTable } from '../tables.ts';

/** The one row of the table `seal`. It opens with the unseal key: that opens the root key, which opens the keyring. */
export type SealRecord = Readonly<Selectable<SealTable>>;

export async function readRecord(db: Kysely<Database>): Promise<SealRecord | undefined> {
  return db.selectFrom('seal').selectAll().where('id', '=', 1).executeTakeFirst();
}

/** Of which installation the row is, and how often it has been sealed. */
export const readStanding = (db: Kysely<Database>): Promise<Pick<SealRecord, 'cluster_id' | 'seals'> | undefined> =>
  db.selectFrom('seal').select(['cluster_id', 'seals']).where('id', '=', 1).executeTakeFirst();

/** Says that every process of the installation has to seal itself. */
export async function countSeal(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable('seal')
    .set(({ eb }) => ({ seals: eb('seals', '+', 1) }))
    .where('id', '=', 1)
    .execute();
}

/** False when another process was first: the row decides. */
export async function insertRecord(tx: Kysely<Database>, record: SealRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('seal')
    .values(record)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Changes the stored keyring under the row's lock, so that two processes that change it at once do it one after the other.
 * A change that is more than a count counts up the revision, and other processes read the keyring again.
 */
export async function changeKeyring(
  tx: Kysely<Database>,
  rootKey: Uint8Array,
  change: (keyring: Keyring) => Keyring,
): Promise<{ readonly record: SealRecord; readonly keyring: Keyring }> {
  const before = await tx.selectFrom('seal').selectAll().where('id', '=', 1).forUpdate().executeTakeFirstOrThrow();
  const old = openKeyring(before, rootKey);
  const keyring = change(old);
  const isCount = keyring.keys.length === old.keys.length && keyring.rotation === old.rotation;
  const revision = before.revision + (isCount ? 0 : 1);
  const record = { ...before, revision, keyring: sealKeyring(keyring, rootKey, before.cluster_id) };
  await tx.updateTable('seal').set({ revision, keyring: record.keyring }).where('id', '=', 1).execute();
  return { record, keyring };
}

export const sealRootKey = (rootKey: Uint8Array, unsealKey: Uint8Array, clusterId: string): Buffer =>
  encrypt(unsealKey, 0, rootKey, `seal/root_key/${clusterId}`);

/** @throws CipherError when this is not the unseal key. */
export const openRootKey = (record: SealRecord, unsealKey: Uint8Array): Buffer =>
  decrypt(unsealKey, record.root_key, `seal/root_key/${record.cluster_id}`);

export function sealKeyring(keyring: Keyring, rootKey: Uint8Array, clusterId: string): Buffer {
  const encoded = encodeKeyring(keyring);
  const sealed = encrypt(rootKey, 0, encoded, `seal/keyring/${clusterId}`);
  encoded.fill(0);
  return sealed;
}

export function openKeyring(record: SealRecord, rootKey: Uint8Array): Keyring {
  const encoded = decrypt(rootKey, record.keyring, `seal/keyring/${record.cluster_id}`);
  const keyring = decodeKeyring(encoded);
  encoded.fill(0);
  return keyring;
}
