import { sql } from 'kysely';
import { coalesce } from '../../core/coalesce.ts';
import type { EngineParts, SecretSource } from '../contract.ts';
import { placesTable } from '../places.ts';
import { openVersion } from '../sealing.ts';
import type { SecretPlace } from '../secret-path.ts';

interface CurrentRow {
  readonly version: number;
  readonly id: string;
  readonly data: Buffer;
}

/** The secret as the sync has to bring it to the destinations; many look-ups in one round trip. */
export function currentSecrets(parts: EngineParts): SecretSource['current'] {
  const read = coalesce((places: readonly SecretPlace[]) => readBatch(parts, places), {
    batchSizeMax: 64,
    batchesMax: 4,
  });
  return async (mountId, path) => {
    const row = await read({ mountId, path });
    if (row === undefined) return undefined;
    const json = openVersion(parts.store.barrier, { mountId, path, id: row.id }, row.data);
    return { version: row.version, json };
  };
}

async function readBatch(
  { store, clock }: EngineParts,
  places: readonly SecretPlace[],
): Promise<readonly (CurrentRow | undefined)[]> {
  const { rows } = await sql<CurrentRow & { readonly n: number }>`
    select w.n::int as n, v.version, v.id, v.data
      from ${placesTable(places)} as w (mount_id, path, n)
      join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path
     cross join lateral (
       select version, id, data from kv_versions
        where mount_id = s.mount_id and path = s.path and version >= s.oldest_version
          and not destroyed and (deletion_time is null or deletion_time > ${clock.now()}::timestamptz)
        order by version desc limit 1) v`.execute(store.db);
  const found = new Map(rows.map((row) => [row.n, row]));
  return places.map((_, index) => found.get(index + 1));
}
