import { sql } from 'kysely';
import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { EngineParts, SecretSource } from '../../contract.ts';
import { openVersion } from '../shared/sealing.ts';
import { locationsTable, type SecretLocation } from '../shared/secret-path.ts';

interface Current {
  readonly version: number;
  readonly json: string;
}

/**
 * The secret as the sync has to bring it to the destinations. Many look-ups are one round trip, and a secret that goes to
 * many destinations is read and opened once for all that ask at the same time.
 *
 * A deletion that the sync was notified of (`deletion_seen`) holds whatever the time is: a clock of the database that was set back
 * brings nothing back, and nobody notifies twice.
 */
export function currentSecrets(parts: EngineParts): SecretSource['current'] {
  const read = coalesce((locations: readonly SecretLocation[]) => readBatch(parts, locations), {
    batchSizeMax: 64,
    batchesMax: 2,
  });
  return async (mountId, path) => (await read({ mountId, path }))?.();
}

interface CurrentRow {
  readonly n: number;
  readonly version: number;
  readonly id: string;
  readonly data: Buffer;
}

/** Answers functions that open: a value that is damaged fails those alone who ask for it. */
async function readBatch(
  { store }: EngineParts,
  locations: readonly SecretLocation[],
): Promise<readonly ((() => Current) | undefined)[]> {
  const distinct = new Map(locations.map((location) => [`${location.mountId}/${location.path}`, location]));
  const { rows } = await sql<CurrentRow>`
    select w.n::int as n, v.version, v.id, v.data
      from ${locationsTable([...distinct.values()])} as w (mount_id, path, n)
      join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path
     cross join lateral (
       select version, id, data from kv_versions
        where mount_id = s.mount_id and path = s.path and version >= s.oldest_version
          and not destroyed
          and (deletion_time is null or not deletion_seen and deletion_time > now())
        order by version desc limit 1) v`.execute(store.db);
  const rowAt = new Map(rows.map((row) => [row.n, row]));
  const found = new Map(
    [...distinct].map(([key, location], index) => [key, opener(store, location, rowAt.get(index + 1))] as const),
  );
  return locations.map(({ mountId, path }) => found.get(`${mountId}/${path}`));
}

function opener(store: EngineParts['store'], location: SecretLocation, row: CurrentRow | undefined) {
  if (row === undefined) return undefined;
  const { version, id, data } = row;
  let opened: Current | undefined;
  return (): Current => {
    opened ??= { version, json: openVersion(store.barrier, { ...location, id }, data) };
    return opened;
  };
}

/**
 * Takes the secret's row and raises its revision: a write that waits for the row, or has looked before, notices that its
 * snapshot is older and begins anew.
 */
export const holdSecret: SecretSource['hold'] = async (tx, mountId, path) => {
  const { rows } = await sql`
    update kv_secrets set revision = revision + 1
     where mount_id = ${mountId}::uuid and path = ${path} returning 1`.execute(tx);
  return rows.length > 0;
};
