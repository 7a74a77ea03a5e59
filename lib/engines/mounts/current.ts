import { sql } from 'kysely';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { Store } from '../../store/store.ts';
import { readTable, type TableCopy } from './copy.ts';
import type { FixedMount } from './record.ts';

/** The copy of the mount table that all requests of a process share. */
export interface CurrentCopy {
  /** A copy that has every change that this process knew of at the time of the call. */
  present(): Promise<TableCopy>;
  /** The copy, if nothing newer is known of. */
  known(): TableCopy | undefined;
  /** A revision that was read in the store: an older copy is not used any more. */
  seenRevision(revision: number): void;
  /** The table has changed, or may have: the copy is not used any more. */
  outdate(): void;
  /** Asks the store for its revision. The answer has every change that was committed before the call. */
  renewed(): Promise<TableCopy>;
}

/**
 * Reads the table once per change, and never twice at the same time, however many requests wait for it: with many namespaces
 * a reading is expensive, and a request without a token can ask for a path that is nowhere.
 */
export function openCurrentCopy(store: Store, fixed: readonly FixedMount[]): CurrentCopy {
  let copy: TableCopy | undefined;
  /** Changes that are known of, and how many of them are in the copy. */
  let changes = 1;
  let copied = 0;
  let newest = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const before = changes;
    const fresh = await readTable(store, fixed);
    copy = fresh;
    copied = before;
    // This may be less than before, in a store that has gone back.
    if (before === changes) newest = fresh.revision;
  }
  const readOnce = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  async function present(): Promise<TableCopy> {
    const wanted = changes;
    for (;;) {
      if (copy !== undefined && copied >= wanted) return copy;
      await readOnce();
    }
  }
  function seenRevision(revision: number): void {
    if (revision <= newest) return;
    newest = revision;
    if (copy === undefined || revision > copy.revision) changes += 1;
  }
  const look = revisionReader(store);
  return {
    present,
    known: () => (copied === changes ? copy : undefined),
    seenRevision,
    outdate() {
      changes += 1;
    },
    async renewed() {
      // A table that was never read, or is read anyway, needs no look at its revision.
      if (copied < changes) return present();
      const revision = await look(undefined);
      seenRevision(revision);
      // A store that was restored, or failed over, may have gone back.
      if (copy !== undefined && revision < copy.revision) changes += 1;
      return present();
    },
  };
}

/** Requests that ask while a look is under way share the next one: what they know of may be newer. */
function revisionReader(store: Store) {
  return coalesce(
    async (askers: readonly undefined[]) => {
      const { rows } = await sql<{ revision: number }>`select revision from revisions where name = 'mounts'`.execute(
        store.db,
      );
      const revision = rows[0]?.revision ?? 0;
      return askers.map(() => revision);
    },
    { batchSizeMax: 10_000, batchesMax: 1 },
  );
}
