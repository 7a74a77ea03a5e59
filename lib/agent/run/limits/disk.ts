import { randomUUID } from 'node:crypto';
import type { Dirent, Stats } from 'node:fs';
import { chmod, lstat, readdir, rename } from 'node:fs/promises';
import { sep } from 'node:path';

/** What an entry takes beside its content. */
const entryBytes = 256;
const blockBytes = 512;
/** How often a folder that its owner has closed is opened before it counts as hidden: a run may close it again meanwhile. */
const opensMax = 3;
/** Paths beyond it are shortened before they are removed: the system takes no path of more than 4096 bytes. */
const pathBytesMax = 2_048;

/** What cannot be measured: a path that is longer than the system takes, or a folder that stays closed. */
export class Hidden extends Error {
  override readonly name = 'Hidden';
}

interface Found {
  /** In bytes, since the name of a file need not be text. */
  readonly path: Buffer;
  readonly isFolder: boolean;
}

/** All that is below a folder, without following links. What goes meanwhile is left out. @throws Hidden */
export async function* below(folder: string): AsyncGenerator<Found> {
  const waiting = [Buffer.from(folder)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await entriesOf(next)) {
      const path = joined(next, entry.name);
      const isFolder = entry.isDirectory();
      if (isFolder) waiting.push(path);
      yield { path, isFolder };
    }
  }
}

/** The bytes that files below a folder take, without following links; it stops counting above `enough`. @throws Hidden */
export async function bytesBelow(folder: string, enough: number): Promise<number> {
  let bytes = 0;
  for await (const { path } of below(folder)) {
    bytes += entryBytes + sizeOf(await lstat(path).catch(goneOrHidden));
    if (bytes > enough) break;
  }
  return bytes;
}

/** A file may have blocks beyond its size. */
const sizeOf = (found: Stats | undefined): number =>
  found === undefined ? 0 : Math.max(found.size, found.blocks * blockBytes);

/**
 * Makes it possible to remove a folder: gives this user every right to the folders below it, and moves those up whose path is too long. No process may
 * write there any more.
 */
export async function openFolders(folder: string): Promise<void> {
  const waiting = [Buffer.from(folder)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { mode } = await lstat(next);
    if ((mode & 0o700) !== 0o700) await chmod(next, 0o700);
    const path = next.length > pathBytesMax ? joined(Buffer.from(folder), Buffer.from(`deep-${randomUUID()}`)) : next;
    if (path !== next) await rename(next, path);
    for (const entry of await entriesOf(path)) if (entry.isDirectory()) waiting.push(joined(path, entry.name));
  }
}

/** A run may have made a folder that even its owner cannot read. */
async function entriesOf(folder: Buffer): Promise<readonly Dirent<Buffer>[]> {
  for (let opens = 0; ; opens += 1) {
    try {
      return await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EACCES' || opens >= opensMax) return goneOrHidden(error) ?? [];
      await chmod(folder, 0o700).catch(goneOrHidden);
    }
  }
}

const gone: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);
const hidden: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP']);

/** Undefined: it is no longer there. */
function goneOrHidden(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (gone.has(code)) return undefined;
  throw hidden.has(code) ? new Hidden('What is below a folder cannot be measured.', { cause: error }) : error;
}

const joined = (folder: Buffer, name: Buffer): Buffer<ArrayBuffer> => Buffer.concat([folder, Buffer.from(sep), name]);
