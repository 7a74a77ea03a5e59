import type { Kysely } from 'kysely';
import type { Log } from '../../core/log.ts';
import type { Database } from '../tables.ts';
import { inTransaction } from '../transaction.ts';
import { type OuterKey, outerKeyMsMax } from './keys/root-key-source.ts';
import { openKeyring, type SealRecord } from './record.ts';

/**
 * Wraps the root key anew if the key service has a newer version of the key. Of several processes one does it; those that hold the
 * root key need nothing of it. What an older version has wrapped opens as long as the service keeps that version.
 */
export async function rewrap(
  { db, log }: { readonly db: Kysely<Database>; readonly log: Log },
  outerKey: OuterKey,
  record: SealRecord,
  rootKey: Buffer,
): Promise<void> {
  const { wrapped, keyId } = await outerKey.wrapRootKey(rootKey, record.cluster_id, AbortSignal.timeout(outerKeyMsMax));
  if (keyId === record.key_id) return;
  const isDone = await inTransaction(db, async (tx) => {
    const now = await tx.selectFrom('seal').selectAll().where('id', '=', 1).forUpdate().executeTakeFirst();
    if (now === undefined || !now.root_key.equals(record.root_key)) return false;
    // Throws for anything but the root key of this store: what is stored here is its only copy.
    openKeyring(now, rootKey);
    await tx.updateTable('seal').set({ root_key: wrapped, key_id: keyId }).where('id', '=', 1).execute();
    return true;
  });
  if (isDone) log.info({ key_id: keyId }, 'the root key was wrapped under another version of the key');
}
