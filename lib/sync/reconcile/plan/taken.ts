import { bigintText, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

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
