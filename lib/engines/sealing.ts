import type { Barrier } from '../store/store.ts';
import type { SecretPlace } from './secret-path.ts';

/** Where the data of a version stands: moved to another row, it does not open. */
export interface VersionPlace extends SecretPlace {
  /** The row's random id: the version number is not known before the row is written. */
  readonly id: string;
}

export const sealVersion = (barrier: Barrier, place: VersionPlace, json: string): Buffer =>
  barrier.seal(json, versionAad(place));

/** The JSON text of a version. @throws AppError `sealed`, or `internal` when the value is damaged */
export const openVersion = (barrier: Barrier, place: VersionPlace, data: Uint8Array): string =>
  barrier.open(data, versionAad(place)).toString();

const versionAad = ({ mountId, path, id }: VersionPlace): string => `kv_versions/${mountId}/${path}/${id}`;
