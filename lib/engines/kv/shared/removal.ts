import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { RemoveSecrets } from '../../contract.ts';

/** Removes secrets with all their versions. */
export const removeSecrets: RemoveSecrets = async (tx, mountId, limit) => {
  const { rows } = await rowsOf({ path: text })`
    delete from kv_secrets where mount_id = ${mountId}::uuid and path = any(array(
      select path from kv_secrets where mount_id = ${mountId}::uuid order by path limit ${limit}))
    returning path`.execute(tx);
  return rows.map(({ path }) => path);
};
