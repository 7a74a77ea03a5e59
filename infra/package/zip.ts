import { zipSync } from 'fflate';

/** The format knows no earlier time. Without a fixed one, each packing would be another and be deployed anew. */
const epoch = '1980-01-01T00:00:00';
const strongest = 9;
/** The platform runs as another user: readable by all. In the upper half of the attributes, as Unix writes them. */
const readableFile = (0o100644 << 16) >>> 0;
const unix = 3;

/** A zip archive of files by their names; the same files make the same bytes. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const attributes = { level: strongest, mtime: epoch, os: unix, attrs: readableFile } as const;
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, [bytes, attributes]])));
}
