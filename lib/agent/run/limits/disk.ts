import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What an entry takes beside its content. */
const entryBytes = 256;
const blockBytes = 512;

/** The bytes that files below a folder take, without following links; it stops counting above `enough`. */
export async function bytesBelow(folder: string, enough: number): Promise<number> {
  let bytes = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && bytes <= enough; next = waiting.pop()) {
    for (const entry of await entriesOf(next)) {
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      bytes += await lstat(path).then(
        // A file may have blocks beyond its size.
        ({ size, blocks }) => entryBytes + Math.max(size, blocks * blockBytes),
        () => entryBytes,
      );
    }
  }
  return bytes;
}

/** Gives this user every right to the folders below a folder, which cannot be removed without them. */
export async function openFolders(folder: string): Promise<void> {
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { mode } = await lstat(next);
    if ((mode & 0o700) !== 0o700) await chmod(next, 0o700);
    for (const entry of await entriesOf(next)) if (entry.isDirectory()) waiting.push(join(next, entry.name));
  }
}

/** A run may have made a folder that even its owner cannot read. */
async function entriesOf(folder: string) {
  const read = () => readdir(folder, { withFileTypes: true });
  return read().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') return [];
    return chmod(folder, 0o700)
      .then(read)
      .catch(() => []);
  });
}
