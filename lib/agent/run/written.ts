import { constants, type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AgentSettings } from '../settings.ts';
import { isBelow } from './apart/isolation.ts';

/** Where a run may write, and as whom. */
export interface Writer {
  readonly root: string;
  readonly user: AgentSettings['user'];
}

/** A file that a run has written, open for reading. */
export interface Written {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/**
 * Opens a file that a run has written. The run chose what it is, while the agent may read more than the run: only a file of its user below its folder is
 * opened, never by a link, and nothing that could block. Undefined: there is no such file.
 *
 * @throws Error that says what is there instead
 */
export async function openWritten(path: string, { root, user }: Writer): Promise<Written | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(path, error.code === 'ELOOP' ? 'it is a link' : (error.code ?? error.message));
  });
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    const { size, mtimeMs, uid } = found;
    if (!found.isFile()) throw unreadable(path, 'it is no regular file');
    if (uid !== (user?.uid ?? process.getuid?.() ?? uid)) throw unreadable(path, 'it belongs to another user');
    if (!isBelow(await whereIs(handle, path), await realpath(root)))
      throw unreadable(path, 'it is outside of the folder of the run');
    return { handle, bytes: size, mtimeMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Reads a file that a run has written, as `openWritten`. @throws Error also when it has more than `bytesMax` */
export async function readWritten(path: string, writer: Writer, bytesMax: number): Promise<Buffer | undefined> {
  const written = await openWritten(path, writer);
  if (written === undefined) return undefined;
  const { handle, bytes } = written;
  try {
    if (bytes > bytesMax) throw unreadable(path, `it has ${bytes} bytes, and ${bytesMax} are the limit`);
    // One that grows meanwhile is read up to the size that it had.
    const buffer = Buffer.alloc(bytes);
    let read = 0;
    while (read < bytes) {
      const { bytesRead } = await handle.read(buffer, read, bytes - read, read);
      if (bytesRead === 0) break;
      read += bytesRead;
    }
    return buffer.subarray(0, read);
  } finally {
    await handle.close();
  }
}

/** Where the open file is now, whatever its path leads to. */
const whereIs = (handle: FileHandle, path: string): Promise<string> =>
  readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path));

const unreadable = (path: string, why: string): Error =>
  new Error(`The file ${basename(path)} cannot be read: ${why}.`);
