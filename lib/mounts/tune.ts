import type { Transaction } from 'kysely';
import type { Mount } from '#path/contract/mount.ts';
import type { Database } from '#store/tables.ts';
import type { MountTuning } from './contract/mounts.ts';
import { changeTable } from './insert.ts';
import { type FixedMount, fixedMount, toMount } from './record.ts';

/**
 * Changes a mount as `tune` decides. A built-in mount gets a row with its first change; only the tunable columns of that row
 * are used. Returns false when there is no such mount.
 */
export async function tuneMount(
  tx: Transaction<Database>,
  namespaceId: string,
  path: string,
  tune: (mount: Mount) => MountTuning,
  fixed: readonly FixedMount[] = [],
): Promise<boolean> {
  await changeTable(tx);
  const always = fixed.find((mount) => mount.path === path);
  if (always !== undefined) await giveRow(tx, namespaceId, always);
  const rows = tx.selectFrom('mounts').selectAll().where('namespace_id', '=', namespaceId);
  const row = await rows.where('path', '=', path).executeTakeFirst();
  if (row === undefined) return false;
  const { description, options, config } = tune(toMount(row));
  await tx
    .updateTable('mounts')
    .set({ description, options: JSON.stringify(options), config: JSON.stringify(config) })
    .where('id', '=', row.id)
    .execute();
  return true;
}

async function giveRow(tx: Transaction<Database>, namespaceId: string, fixed: FixedMount): Promise<void> {
  const { id, path, type, accessor, description } = fixedMount(fixed, namespaceId);
  const settings = { options: 'null', config: '{}', local: false, seal_wrap: false };
  await tx
    .insertInto('mounts')
    .values({ id, namespace_id: namespaceId, path, type, accessor, description, ...settings })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
