import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** The setting for the folder of the files that users of the API may name. */
const setting = 'KEYFERRY_CREDENTIALS_DIR';
const outside = `the file is not in the folder of ${setting}`;
const bytesMax = 64 * 1024;

/**
 * Why a file that a user of the API names may not be read, judged by its path, or undefined when it may.
 *
 * @param folder where the operator allows such files; when undefined, none are allowed
 */
export function refusePath(folder: string | undefined, path: string): string | undefined {
  if (folder === undefined) {
    return `reading files is disabled: an operator must set ${setting}, for the API and the workers, to the folder of such files`;
  }
  return isBelow(resolve(folder), resolve(folder, path)) && !path.includes('\0') ? undefined : outside;
}

/** Why a named file was not read. The message contains nothing of its content. */
export class NamedFileError extends Error {
  override readonly name = 'NamedFileError';
}

/**
 * Reads a file that a user of the API names, relative to the operator's folder or absolute. After following links it must be a
 * regular file in that folder, of at most 64 KiB. Other files are not opened: reading a terminal or a pipe would block a thread of
 * the pool forever, and name resolution needs those threads too.
 *
 * @throws NamedFileError
 */
export async function readNamedFile(folder: string | undefined, path: string): Promise<string> {
  const refusal = refusePath(folder, path);
  if (folder === undefined || refusal !== undefined) throw new NamedFileError(refusal);
  try {
    return await readBelow(folder, path);
  } catch (error) {
    if (error instanceof NamedFileError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    throw new NamedFileError(`the file cannot be read (${code})`);
  }
}

async function readBelow(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const realFile = await realpath(resolve(folder, path));
  if (!isBelow(root, realFile)) throw new NamedFileError(outside);
  // Merely opening a file can do harm, for example to a device.
  if (!(await lstat(realFile)).isFile()) throw new NamedFileError('the file is not a regular file');
  const file = await open(
    realFile,
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY,
  );
  try {
    return await readBounded(file);
  } finally {
    await file.close();
  }
}

async function readBounded(file: FileHandle): Promise<string> {
  const found = await file.stat();
  if (!found.isFile()) throw new NamedFileError('the file is not a regular file');
  // A file may grow while it is read, and some files of the operating system report a size of 0.
  const bytes = Buffer.alloc(bytesMax + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) return bytes.toString('utf8', 0, length);
    length += bytesRead;
  }
  throw new NamedFileError(`the file has more than ${bytesMax} bytes`);
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
