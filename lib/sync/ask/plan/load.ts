import { bigintText, text } from '#store/sql/kinds.ts';
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

/** The association that holds a name. */
export interface Holder {
  readonly associationId: string;
  readonly secretName: string;
}

/** The holders of these names at the destination, by name key. A free name is absent. */
export async function takenNames(
  { db }: Pick<Store, 'db'>,
  destinationId: string,
  nameKeys: readonly string[],
): Promise<ReadonlyMap<string, Holder>> {
  const { rows } = await rowsOf({ name_key: text, secret_name: text, association_id: bigintText })`
    select o.name_key, a.secret_name, o.association_id::text as association_id
      from sync_objects o join associations a on a.id = o.association_id
     where o.destination_id = ${destinationId}::bigint and o.name_key = any(${nameKeys}::text[])
       and o.removed_at is null`.execute(db);
  return new Map(rows.map((row) => [row.name_key, { associationId: row.association_id, secretName: row.secret_name }]));
}
