import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../core/errors.ts';
import { readJsonInSlices } from '../../../core/json/read-in-slices.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../core/json.ts';
import type { Barrier } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { openVersion, type VersionLocation, versionAad } from './sealing.ts';

/** What is longer comes from the database by itself, in pieces, and only while there is memory for it. */
export const plainBytesMax = 65_536;
const pieceBytes = 1_048_576;

/** The data of a version as a look-up finds them. */
export interface StoredData {
  /** Sealed; null when there are none, and when they are long. */
  readonly data: Buffer | null;
  /** Their length, sealed; null when there are none. */
  readonly bytes: number | null;
}

/** The two columns of a row of `kv_versions`, called `v`. */
export const storedData = sql`
  case when octet_length(v.data) <= ${sql.lit(plainBytesMax)} then v.data end as data, octet_length(v.data) as bytes`;

/** Which version, and which row of it: a row that was replaced has another id. */
export interface StoredLocation extends VersionLocation {
  readonly version: number;
}

/** The JSON text of a version; of a long one the pieces, in UTF-8. */
export type VersionJson = string | readonly Buffer[];

export interface Opening {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
  /** Takes the memory for a long one. */
  readonly hold: (bytes: number) => void;
}

/**
 * Opens the data of a version; undefined: there are none.
 *
 * @throws AppError `sealed`, `internal` when the value is damaged, `unavailable` when there is no memory for a long one or
 *   it was changed meanwhile
 */
export async function openStored(
  { db, barrier, hold }: Opening,
  location: StoredLocation,
  { data, bytes }: StoredData,
): Promise<VersionJson | undefined> {
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
    const { rows } = await sql<{ readonly piece: Buffer | null }>`
      select substring(data from ${from}::int for ${pieceBytes}::int) as piece from kv_versions
       where mount_id = ${location.mountId}::uuid and path = ${location.path} and version = ${location.version}::int
         and id = ${location.id}::uuid`.execute(db);
    const piece = rows[0]?.piece;
    if (!piece) throw new AppError('unavailable', 'the secret was changed while it was being read: try again');
    yield piece;
  }
}
