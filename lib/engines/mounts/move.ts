import { sql, type Transaction } from 'kysely';
import { badRequest } from '../../core/errors.ts';
import { type Changed, type Dirty, markDirty } from '../../store/outbox.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import { changeTable, takenPaths } from './insert.ts';
import { mustBeFree } from './place.ts';

export interface Move {
  readonly from: string;
  readonly to: string;
  /** Paths that are taken without a row. */
  readonly reserved: readonly string[];
}

/** Gives a mount another path. Names at the destinations may be made of it, so its associations become dirty. */
export async function moveMount(store: Store, move: Move, changed: Changed): Promise<readonly string[]> {
  const dirty = await store.transaction((tx) => moveLocked(tx, move));
  return dirty.length === 0 ? [] : changed(dirty);
}

async function moveLocked(tx: Transaction<Database>, { from, to, reserved }: Move): Promise<readonly Dirty[]> {
  await changeTable(tx);
  const mount = await tx.selectFrom('mounts').select('id').where('path', '=', from).executeTakeFirst();
  if (mount === undefined) throw badRequest(`no mount at ${from}`);
  // As everywhere in this API family: a folder of a mount is no place for the mount itself.
  if (to !== from && to.startsWith(from)) throw badRequest(`existing mount at ${from}: it cannot move below itself`);
  const others = (await takenPaths(tx)).filter((path) => path !== from);
  mustBeFree(to, [...reserved, ...others]);
  await tx.updateTable('mounts').set({ path: to }).where('id', '=', mount.id).execute();
  await sql`update associations set mount_path = ${to} where mount_id = ${mount.id}::uuid`.execute(tx);
  return (await markDirty(sql`mount_id = ${mount.id}::uuid and desired = 'present'`).execute(tx)).rows;
}
