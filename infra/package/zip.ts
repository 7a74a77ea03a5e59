import { zipSync } from 'fflate';

/** The earliest time of the format. Without a fixed time each archive would differ and be deployed again. */
const epoch = '1980-01-01T00:00:00';
const strongest = 9;
/** Readable by all, since the platform runs as another user. Unix stores the mode in the upper half of the attributes. */
const readableFile = (0o100644 << 16) >>> 0;
const unix = 3;

/** A zip archive of files by name; the same files produce the same bytes. */
export function zip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const attributes = { level: strongest, mtime: epoch, os: unix, attrs: readableFile } as const;
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, [bytes, attributes]])));
}
