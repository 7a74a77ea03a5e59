import { coalesce } from '#core/concurrency/coalesce.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { readTable, type TableCopy } from './copy.ts';
import type { FixedMount } from './record.ts';

/** The copy of the mount table that all requests of a process share. */
export interface CurrentCopy {
  /** A copy that contains every change this process knew of at the time of the call. */
  present(): Promise<TableCopy>;
  /** The copy, unless a newer revision is known. */
  known(): TableCopy | undefined;
  /** Reports a revision read from the store; a copy older than this is no longer used. */
  seenRevision(revision: number): void;
  /** Invalidates the copy, because the table has changed or may have changed. */
  outdate(): void;
  /** Asks the store for its revision. The resulting copy contains every change committed before the call. */
  renewed(): Promise<TableCopy>;
}

/**
 * Reads the table once per change, and never twice at the same time, however many requests wait for it: with many namespaces
 * a read is expensive, and requests without a token can ask for unknown paths.
 */
export function openCurrentCopy(store: Store, fixed: readonly FixedMount[]): CurrentCopy {
  let copy: TableCopy | undefined;
  /** The number of known changes, and how many of them the copy contains. */
  let changes = 1;
  let copied = 0;
  let newest = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const before = changes;
    const fresh = await readTable(store, fixed);
    copy = fresh;
    copied = before;
    // A restored store can have a lower revision than before.
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
      // A table that has never been read, or is about to be read, needs no check of its revision.
      if (copied < changes) return present();
      const revision = await look(undefined);
      seenRevision(revision);
      // A restore or a failover can take the store back to an earlier revision.
      if (copy !== undefined && revision < copy.revision) changes += 1;
      return present();
    },
  };
}

/** Requests that arrive during a read share the next one, because they may know of a newer change. */
function revisionReader(store: Store) {
  return coalesce(
    async (askers: readonly undefined[]) => {
      const { rows } = await rowsOf({ revision: int })`select revision from revisions where name = 'mounts'`.execute(
        store.db,
      );
      const revision = rows[0]?.revision ?? 0;
      return askers.map(() => revision);
    },
    { batchSizeMax: 10_000, batchesMax: 1 },
  );
}
