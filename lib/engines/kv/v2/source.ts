import { sql } from 'kysely';
import { coalesce } from '#core/concurrency/coalesce.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { bytea, int, text } from '#store/sql/kinds.ts';
import { startsWith } from '#store/sql/prefix.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { kvSecretsTable } from '#store/tables/secrets.ts';
import type { DescribedSecret, EngineParts, SecretSource } from '../../contract.ts';
import { openVersion } from '../shared/sealing.ts';
import { locationsTable, type SecretLocation } from '../shared/secret-path.ts';
import { isNeverSynced, openCustomMetadata } from './rules/custom-metadata.ts';

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

/** The condition that a version `v` of a secret `s` can be read. */
const isCurrent = sql`v.mount_id = s.mount_id and v.path = s.path and v.version >= s.oldest_version and not v.destroyed
          and (v.deletion_time is null or not v.deletion_seen and v.deletion_time > now())`;

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
       select v.version, v.id, v.data
         from kv_versions v where ${isCurrent}
        order by v.version desc limit 1) v`,
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

export const secretsBelow =
  ({ store }: EngineParts): SecretSource['below'] =>
  async (mountId, prefix, after, limit) => {
    const { rows } = await rowsOf({ path: text })`
      select s.path from kv_secrets s
       where s.mount_id = ${mountId}::uuid and s.path > ${after} and ${startsWith('s.path', prefix)}
         and exists (select 1 from kv_versions v where ${isCurrent})
       order by s.path limit ${limit}::int`.execute(store.db);
    return rows.map(({ path }) => path);
  };

/**
 * Locks the rows of secrets and raises their revisions. A write that waits for such a row, or has read it before, then notices that its
 * snapshot is out of date and starts again.
 */
export const holdSecrets =
  (parts: EngineParts): SecretSource['hold'] =>
  async (tx, mountId, paths) => {
    const { rows } = await rowsOf(describedColumns)`
      update kv_secrets set revision = revision + 1
       where mount_id = ${mountId}::uuid and path = any(array(
               select path from kv_secrets where mount_id = ${mountId}::uuid and path = any(${paths}::text[])
                order by path for no key update))
      returning path, custom_metadata`.execute(tx);
    return rows.flatMap((row) => (described(parts, mountId, row).neverSynced ? [] : [row.path]));
  };

export const describeSecrets =
  (parts: EngineParts): SecretSource['describe'] =>
  async (db, mountId, paths) => {
    const { rows } = await rowsOf(describedColumns)`
      select path, custom_metadata from kv_secrets
       where mount_id = ${mountId}::uuid and path = any(${paths}::text[]) and current_version > 0`.execute(db);
    return rows.map((row) => described(parts, mountId, row));
  };

export const describeBelow =
  (parts: EngineParts): SecretSource['describeBelow'] =>
  async (mountId, prefix, after, limit) => {
    const { rows } = await rowsOf(describedColumns)`
      select path, custom_metadata from kv_secrets
       where mount_id = ${mountId}::uuid and path > ${after} and ${startsWith('path', prefix)} and current_version > 0
       order by path limit ${limit}::int`.execute(parts.store.db);
    return rows.map((row) => described(parts, mountId, row));
  };

const describedColumns = pick(kvSecretsTable, 'path', 'custom_metadata');

function described(
  { store }: EngineParts,
  mountId: string,
  { path, custom_metadata }: RowOf<typeof describedColumns>,
): DescribedSecret {
  const pairs = openCustomMetadata(store.barrier, { mountId, path }, custom_metadata);
  return { name: path, customMetadata: pairs ?? {}, neverSynced: isNeverSynced(pairs) };
}
