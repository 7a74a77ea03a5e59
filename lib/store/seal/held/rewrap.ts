import type { Kysely } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Database } from '../../tables.ts';
import { inTransaction } from '../../transaction.ts';
import { type OuterKey, outerKeyMsMax } from '../keys/root-key-source.ts';
import { openKeyring, type SealRecord } from '../record.ts';
import type { HeldKeyring } from './keyring.ts';

export interface RewrapParts {
  readonly db: Kysely<Database>;
  readonly outerKey: OuterKey | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the key service is checked for a newer version of the key. */
const everyMs = 3_600_000;

/** Periodically checks whether the key service has a newer version of the key. */
export class Rewrapping {
  readonly #parts: RewrapParts;
  #dueAtMs = 0;

  constructor(parts: RewrapParts) {
    this.#parts = parts;
  }

  /** Never throws: a root key that was wrapped by an older version remains usable. */
  async runIfDue(keyring: Pick<HeldKeyring, 'withRootKey'>, record: SealRecord): Promise<void> {
    const { outerKey, clock, log } = this.#parts;
    const now = clock.now().getTime();
    if (outerKey === undefined || record.type !== outerKey.type || now < this.#dueAtMs) return;
    this.#dueAtMs = now + everyMs;
    await keyring
      .withRootKey((rootKey) => rewrap(this.#parts, outerKey, record, rootKey))
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown error';
        log.warn({ error: reason }, 'could not check whether the key of the seal has a newer version');
      });
  }
}

/**
 * Rewraps the root key if the key service has a newer version of the key. With several processes, only one does; processes that hold
 * the root key are not affected. A root key wrapped by an older version opens as long as the service keeps that version.
 */
async function rewrap(
  { db, log }: RewrapParts,
  outerKey: OuterKey,
  record: SealRecord,
  rootKey: Buffer,
): Promise<void> {
  const { wrapped, keyId } = await outerKey.wrapRootKey(rootKey, record.cluster_id, AbortSignal.timeout(outerKeyMsMax));
  if (keyId === record.key_id) return;
  const isDone = await inTransaction(db, async (tx) => {
    const now = await tx.selectFrom('seal').selectAll().where('id', '=', 1).forUpdate().executeTakeFirst();
    if (now === undefined || !now.root_key.equals(record.root_key)) return false;
    // Throws unless this is the root key of this store: the stored value is its only copy.
    openKeyring(now, rootKey);
    await tx.updateTable('seal').set({ root_key: wrapped, key_id: keyId }).where('id', '=', 1).execute();
    return true;
  });
  if (isDone) log.info({ key_id: keyId }, 'the root key was wrapped under another version of the key');
}
