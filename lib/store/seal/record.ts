import type { Kysely } from 'kysely';
import { decrypt, encrypt } from '../encryption/cipher.ts';
import { decodeKeyring, encodeKeyring, type Keyring } from '../encryption/keyring.ts';
import type { RowOf } from '../sql/columns.ts';
import type { sealTable } from '../tables/installation.ts';
import type { Database } from '../tables.ts';

/** The only row of the table `seal`. The unseal key opens the root key, and the root key opens the keyring. */
export type SealRecord = RowOf<typeof sealTable>;

/** What opens the root key: key shares, a configured key, or a key of a cloud key service. */
export type SealType = SealRecord['type'];

export async function readRecord(db: Kysely<Database>): Promise<SealRecord | undefined> {
  return db.selectFrom('seal').selectAll().where('id', '=', 1).executeTakeFirst();
}

/** The id of the installation and how often it has been sealed. */
export const readStanding = (db: Kysely<Database>): Promise<Pick<SealRecord, 'cluster_id' | 'seals'> | undefined> =>
  db.selectFrom('seal').select(['cluster_id', 'seals']).where('id', '=', 1).executeTakeFirst();

/** Makes every process of the installation seal itself when it reads the row again. */
export async function countSeal(db: Kysely<Database>): Promise<void> {
  await db
    .updateTable('seal')
    .set(({ eb }) => ({ seals: eb('seals', '+', 1) }))
    .where('id', '=', 1)
    .execute();
}

/** False when another process inserted its row first. */
export async function insertRecord(tx: Kysely<Database>, record: SealRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('seal')
    .values(record)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Changes the stored keyring while holding the row lock, so concurrent changes are serialised. Any change except of the counts
 * increments the revision, which makes other processes read the keyring again.
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
