import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bytea, int, text } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { EngineParts, SecretSource } from '../../contract.ts';
import { openVersion } from '../shared/sealing.ts';
import { locationsTable, type SecretLocation } from '../shared/secret-path.ts';

interface Current {
  readonly version: number;
  readonly json: string;
}

/**
 * The secret as the sync must write it to destinations. Concurrent lookups share one round trip, and a secret with many
 * destinations is read and decrypted once for all concurrent callers.
 *
 * A deletion that the sync has been notified of (`deletion_seen`) is final: when the database clock is set back, the version
 * does not reappear and no second notification is sent.
 */
export function currentSecrets(parts: EngineParts): SecretSource['current'] {
  const read = coalesce((locations: readonly SecretLocation[]) => readBatch(parts, locations), {
    batchSizeMax: 64,
    batchesMax: 2,
  });
  return async (mountId, path) => (await read({ mountId, path }))?.();
}

type CurrentRow = RowOf<typeof currentRowColumns>;

const currentRowColumns = {
  n: int,
  version: int,
  id: text,
  data: bytea,
};

const currentStatement = prepared(
  currentRowColumns,
  (from: From<readonly SecretLocation[]>) => rowsOf(currentRowColumns)`
    select w.n::int as n, v.version, v.id, v.data
      from ${locationsTable(from)} as w (mount_id, path, n)
      join kv_secrets s on s.mount_id = w.mount_id and s.path = w.path
     cross join lateral (
       select version, id, data from kv_versions
        where mount_id = s.mount_id and path = s.path and version >= s.oldest_version
          and not destroyed
          and (deletion_time is null or not deletion_seen and deletion_time > now())
        order by version desc limit 1) v`,
);

/** Returns functions that decrypt, so that a damaged value fails only the callers that want it. */
async function readBatch(
  { store }: EngineParts,
  locations: readonly SecretLocation[],
): Promise<readonly ((() => Current) | undefined)[]> {
  const distinct = new Map(locations.map((location) => [`${location.mountId}/${location.path}`, location]));
  const rows = await currentStatement(store.db, [...distinct.values()]);
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
 * Locks the secret's row and raises its revision. A write that waits for the row, or has read it before, then notices that its
 * snapshot is out of date and starts again.
 */
export const holdSecret: SecretSource['hold'] = async (tx, mountId, path) => {
  const { rows } = await sql`
    update kv_secrets set revision = revision + 1
     where mount_id = ${mountId}::uuid and path = ${path} returning 1`.execute(tx);
  return rows.length > 0;
};
