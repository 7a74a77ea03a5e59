import { badField } from '#core/errors.ts';
import type { JsonObject } from '#core/json/json.ts';
import { isLongJson, jsonPieces } from '#core/json/write.ts';
import type { Barrier } from '#store/store.ts';
import type { SecretLocation } from './secret-path.ts';

/** The row of a version's data. Copied to another row, the data does not decrypt. */
export interface VersionLocation extends SecretLocation {
  /** The row's random id, because the version number is not known before the row is written. */
  readonly id: string;
}

/** Longer texts are encrypted in slices, so that other work gets its turn. */
const atOnceCharactersMax = 65_536;

/**
 * @param fields the fields of the request that have the data; none when the whole request is the data
 * @throws AppError `sealed`, or `bad-request` for data that is nested too deeply to serialize
 */
export async function sealVersion(
  barrier: Barrier,
  location: VersionLocation,
  data: JsonObject,
  fields: readonly 'data'[] = [],
): Promise<Buffer> {
  const aad = versionAad(location);
  if (isLongJson(data, atOnceCharactersMax)) return barrier.sealInSlices(() => jsonPieces(data), aad);
  return barrier.seal(jsonText(data, fields), aad);
}

/** The JSON text of a version. @throws AppError `sealed`, or `internal` when the value is damaged */
export const openVersion = (barrier: Barrier, location: VersionLocation, data: Uint8Array): string =>
  barrier.open(data, versionAad(location)).toString();

/** The additional data that binds a value to its row. */
export const versionAad = ({ mountId, path, id }: VersionLocation): string => `kv_versions/${mountId}/${path}/${id}`;

/** The JSON text of a secret. @throws AppError `bad-request` for data that is nested too deeply to serialize */
export function jsonText(data: object, fields: readonly 'data'[] = []): string {
  try {
    return JSON.stringify(data);
  } catch (cause) {
    throw badField(fields, 'the data is nested too deeply', { cause });
  }
}
