import { type Kysely, sql } from 'kysely';
import type { Eventual } from '#core/concurrency/eventual.ts';
import { AppError } from '#core/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '#core/json/json.ts';
import { readJsonInSlices } from '#core/json/read-in-slices.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bytea, int, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Barrier } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { openVersion, type VersionLocation, versionAad } from './sealing.ts';

/** Longer data is read separately, in pieces, and only while there is memory for it. */
export const plainBytesMax = 65_536;
const pieceBytes = 1_048_576;

/** The data of a version as a lookup returns it. */
export type StoredData = RowOf<typeof storedDataColumns>;

export const storedDataColumns = {
  /** Encrypted; null when there is none, and when it is long. */
  data: nullable(bytea),
  /** Length of the encrypted data; null when there is none. */
  bytes: nullable(int),
};

/** The two columns of a row of `kv_versions`, called `v`. */
export const storedData = sql`
  case when octet_length(v.data) <= ${sql.lit(plainBytesMax)} then v.data end as data, octet_length(v.data) as bytes`;

/** A version and its row; a replaced row has another id. */
export interface StoredLocation extends VersionLocation {
  readonly version: number;
}

/** The JSON text of a version; for a long one, its pieces in UTF-8. */
export type VersionJson = string | readonly Buffer[];

export interface Opening {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  /** Reserves the memory for a long version. */
  readonly hold: (bytes: number) => void;
}

/**
 * Decrypts the data of a version; undefined when there is none.
 *
 * @throws AppError `sealed`, `internal` when the value is damaged, `unavailable` when there is no memory for a long version or
 *   it changed in the meantime
 */
export function openStored(
  { db, barrier, hold }: Opening,
  location: StoredLocation,
  { data, bytes }: StoredData,
): Eventual<VersionJson | undefined> {
  if (bytes === null) return undefined;
  if (data !== null) return openVersion(barrier, location, data);
  hold(bytes);
  return barrier.openInSlices(piecesOf(db, location, bytes), versionAad(location));
}

/** The secret itself. */
export async function secretOf(json: VersionJson): Promise<JsonObject> {
  const data = typeof json === 'string' ? parseJson(json) : await readJsonInSlices(json);
  if (!isJsonObject(data)) throw new AppError('internal', 'a stored secret is not an object');
  return data;
}

async function* piecesOf(db: Kysely<Database>, location: StoredLocation, bytes: number): AsyncGenerator<Buffer> {
  for (let from = 1; from <= bytes; from += pieceBytes) {
    const { rows } = await rowsOf({ piece: nullable(bytea) })`
      select substring(data from ${from}::int for ${pieceBytes}::int) as piece from kv_versions
       where mount_id = ${location.mountId}::uuid and path = ${location.path} and version = ${location.version}::int
         and id = ${location.id}::uuid`.execute(db);
    const piece = rows[0]?.piece;
    if (!piece) throw new AppError('unavailable', 'the secret was changed while it was being read: try again');
    yield piece;
  }
}
