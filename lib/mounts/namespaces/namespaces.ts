import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { randomBase62 } from '#core/ids.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { CopiedMounts, MountType } from '../contract/mounts.ts';
import type { NamespaceState, Namespaces } from '../contract/namespaces.ts';
import { changeTable } from '../insert.ts';
import { createNamespace } from './create.ts';
import { parentPath } from './record.ts';
import { beginRemoval, continueRemoval } from './remove.ts';

export interface NamespaceParts {
  readonly store: Store;
  readonly engines: readonly MountType[];
  readonly mounts: CopiedMounts;
}

/** The namespaces of the store. Reads are as current as the copy in memory, which includes every change of this process. */
export function openNamespaces({ store, engines, mounts }: NamespaceParts): Namespaces {
  const changing = <T>(change: (tx: Transaction<Database>) => Promise<T>): Promise<T> =>
    mounts.changing(
      store.transaction(async (tx) => {
        await changeTable(tx);
        return change(tx);
      }),
    );
  const find = async (path: string): Promise<NamespaceState | undefined> => {
    const found = (await mounts.namespaces()).find((one) => one.path === path);
    if (found !== undefined) return found;
    await mounts.refresh();
    return (await mounts.namespaces()).find((one) => one.path === path);
  };
  const keyOf = (key: string): Buffer => store.barrier.mac('namespace-unlock', key);
  return {
    below: async (parent) => (await mounts.namespaces()).filter(({ path }) => parentPath(path) === parent.path),
    find,
    async create(path, metadata) {
      await mounts.changing(store.transaction((tx) => createNamespace(tx, path, metadata)));
      const made = await find(path);
      if (made === undefined) throw badRequest(`namespace ${JSON.stringify(path)} is being deleted`);
      return made;
    },
    async patch(path, change) {
      await changing(async (tx) => {
        const row = await stored(tx, path);
        if (row === undefined) return;
        const custom_metadata = JSON.stringify(change(row.custom_metadata));
        await tx.updateTable('namespaces').set({ custom_metadata }).where('id', '=', row.id).execute();
      });
      return find(path);
    },
    async remove(path, changed, signal) {
      const id = await mounts.changing(beginRemoval(store, path));
      return id === undefined ? 'gone' : mounts.changing(continueRemoval({ store, engines, changed, signal }, id));
    },
    async lock(path) {
      const key = randomBase62(24);
      await changing(async (tx) => {
        const row = await mustBeThere(tx, path);
        if (row.unlock_key !== null) throw badRequest(`namespace ${JSON.stringify(path)} is locked already`);
        await tx
          .updateTable('namespaces')
          .set({ unlock_key: keyOf(key) })
          .where('id', '=', row.id)
          .execute();
      });
      return key;
    },
    async unlock(path, key) {
      await changing(async (tx) => {
        const row = await mustBeThere(tx, path);
        if (row.unlock_key === null) throw badRequest(`namespace ${JSON.stringify(path)} is not locked`);
        if (key !== undefined && !timingSafeEqual(keyOf(key), row.unlock_key))
          throw badField('unlock_key', 'unlock key is wrong');
        await tx.updateTable('namespaces').set({ unlock_key: null }).where('id', '=', row.id).execute();
      });
    },
  };
}

const stored = (tx: Transaction<Database>, path: string) =>
  tx.selectFrom('namespaces').selectAll().where('path', '=', path).where('deleted_at', 'is', null).executeTakeFirst();

async function mustBeThere(tx: Transaction<Database>, path: string) {
  const row = await stored(tx, path);
  if (row === undefined) throw badRequest(`namespace ${JSON.stringify(path)} does not exist`);
  return row;
}
