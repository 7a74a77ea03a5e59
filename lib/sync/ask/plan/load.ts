import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import { claimedColumns, selectClaimed, toClaimed } from '../../claim/claim-statement.ts';

/** Associations of a destination as a worker would claim them, without a claim. One statement. */
export async function loadUnclaimed(
  { db }: Pick<Store, 'db'>,
  destinationId: string,
  ids: readonly string[],
): Promise<readonly Claimed[]> {
  const askedMs = Date.now();
  const { rows } = await rowsOf(claimedColumns)`
    select ${selectClaimed}
      from associations t join destinations d on d.id = t.destination_id left join namespaces n on n.id = d.namespace_id
     where t.destination_id = ${destinationId}::bigint and t.id = any(${ids}::bigint[])`.execute(db);
  return rows.map((row) => toClaimed(row, '', askedMs));
}
