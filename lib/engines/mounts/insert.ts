import { sql, type Transaction } from 'kysely';
import type { Database } from '../../store/tables.ts';
import type { NewMount } from '../contract.ts';
import { mustBeFree } from './free-path.ts';
import { newAccessor } from './record.ts';

/**
 * Adds a mount in the caller's transaction. `fixed` are paths that are taken without a row.
 *
 * @throws AppError `bad-request` when the path is in use, or lies above or below another mount
 */
export async function insertMount(
  tx: Transaction<Database>,
  mount: NewMount,
  fixed: readonly string[] = [],
): Promise<void> {
  await changeTable(tx);
  mustBeFree(mount.path, [...fixed, ...(await takenPaths(tx))]);
  await tx
    .insertInto('mounts')
    .values({
      path: mount.path,
      type: mount.type,
      accessor: newAccessor(mount.path, mount.type),
      description: mount.description ?? '',
      options: JSON.stringify(mount.options ?? null),
      config: JSON.stringify(mount.config ?? {}),
      local: mount.local ?? false,
      seal_wrap: mount.sealWrap ?? false,
    })
    .execute();
}

/** First in every change of the table: makes the others wait, and all processes' copies old. */
export async function changeTable(tx: Transaction<Database>): Promise<void> {
  await sql`update revisions set revision = revision + 1 where name = 'mounts'`.execute(tx);
}

export async function takenPaths(tx: Transaction<Database>): Promise<readonly string[]> {
  return (await tx.selectFrom('mounts').select('path').execute()).map(({ path }) => path);
}
