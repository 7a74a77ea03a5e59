import { type Insertable, sql, type Transaction } from 'kysely';
import { badField } from '#core/errors.ts';
import { isUuid, uuid } from '#core/ids.ts';
import type { Namespace } from '#core/namespace.ts';
import { type Dirty, type EnqueueDirty, markDirty } from '#store/outbox.ts';
import { timestamptz } from '#store/sql/kinds.ts';
import { expressionOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { EndedMove } from './contract/mounts.ts';
import { changeTable, mustBeFree, mustBeNoNamespace, takenPaths } from './insert.ts';

interface MoveParts {
  readonly store: Store;
}

export interface Move {
  readonly namespace: Namespace;
  readonly from: string;
  readonly to: string;
  /** Paths of built-in mounts, which have no row. */
  readonly reserved: readonly string[];
}

/** Gives a mount another path. External names may contain the path, so its associations become dirty. */
export async function moveMount({ store }: MoveParts, move: Move, changed: EnqueueDirty): Promise<EndedMove> {
  const id = uuid();
  const dirty = await store.transaction(async (tx) => {
    const moved = await moveLocked(tx, move);
    await remember(tx, {
      id,
      namespace_id: move.namespace.id,
      source: move.from,
      target: move.to,
    });
    return moved;
  });
  return { id, warnings: dirty.length === 0 ? [] : await changed(dirty) };
}

/** Undefined for an unknown id. */
export async function findMove(
  { store }: MoveParts,
  id: string,
  namespace: Namespace,
): Promise<Pick<Move, 'from' | 'to'> | undefined> {
  if (!isUuid(id)) return undefined;
  const rows = store.db.selectFrom('mount_moves').selectAll().where('namespace_id', '=', namespace.id);
  const row = await rows.where('id', '=', id).executeTakeFirst();
  return row && { from: row.source, to: row.target };
}

/** How many moves are remembered. */
const rememberedMax = 1_000;

async function remember(
  tx: Transaction<Database>,
  move: Omit<Insertable<Database['mount_moves']>, 'ended_at'>,
): Promise<void> {
  await tx
    .insertInto('mount_moves')
    .values({ ...move, ended_at: expressionOf(timestamptz)`now()` })
    .execute();
  await sql`delete from mount_moves where id in (
    select id from mount_moves order by ended_at desc, id offset ${rememberedMax}::int)`.execute(tx);
}

async function moveLocked(
  tx: Transaction<Database>,
  { from, to, reserved, namespace }: Move,
): Promise<readonly Dirty[]> {
  await changeTable(tx);
  const mounts = tx.selectFrom('mounts').select('id').where('namespace_id', '=', namespace.id);
  const mount = await mounts.where('path', '=', from).executeTakeFirst();
  if (mount === undefined) throw badField('from', `no mount at ${from}`);
  // As everywhere in this API family: a mount cannot be moved to a folder of itself.
  if (to !== from && to.startsWith(from))
    throw badField('to', `existing mount at ${from}: it cannot move below itself`);
  const others = (await takenPaths(tx, namespace.id)).filter((path) => path !== from);
  mustBeFree('to', to, [...reserved, ...others]);
  await mustBeNoNamespace(tx, 'to', to, namespace);
  await tx.updateTable('mounts').set({ path: to }).where('id', '=', mount.id).execute();
  await sql`update associations set mount_path = ${to} where mount_id = ${mount.id}::uuid`.execute(tx);
  return (await markDirty(sql`mount_id = ${mount.id}::uuid and desired = 'present'`).execute(tx)).rows;
}
