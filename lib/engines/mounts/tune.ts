import type { Transaction } from 'kysely';
import type { Mount } from '../../path/row.ts';
import type { Database } from '../../store/tables.ts';
import type { MountTuning } from '../contract.ts';
import { changeTable } from './insert.ts';
import { toMount } from './record.ts';

/** Changes a mount as `tune` decides. False: there is no such mount. */
export async function tuneMount(
  tx: Transaction<Database>,
  namespaceId: string,
  path: string,
  tune: (mount: Mount) => MountTuning,
): Promise<boolean> {
  await changeTable(tx);
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
