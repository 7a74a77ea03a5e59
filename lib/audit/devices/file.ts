import { constants, write } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { NotRecorded, type Outlet } from './outlet.ts';

/** How often the outlet checks that the path still leads to the open file. */
const checkEveryMs = 1_000;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** The file of a device. */
export interface LogFile {
  readonly path: string;
  /** Undefined to keep the mode of an existing file. */
  readonly mode: number | undefined;
  /** The file must be below this folder, even after symbolic links are followed. Undefined when it may be anywhere. */
  readonly below: string | undefined;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
}

/**
 * Appends to a file. The file is opened again after a failure, when it was moved or removed, and after `reopen`. Earlier lines
 * stay in the earlier file.
 */
export class FileOutlet implements Outlet {
  readonly #target: LogFile;
  #file: OpenFile | undefined;
  #checkedAt = 0;
  #reopens = false;
  /** The last line was written only in part. */
  #torn = false;

  constructor(target: LogFile) {
    this.#target = target;
  }

  async write(lines: readonly string[]): Promise<void> {
    const { handle } = await this.#ready();
    const bytes = Buffer.from((this.#torn ? '\n' : '') + lines.join(''));
    let at = 0;
    try {
      while (at < bytes.length) at += await append(handle.fd, bytes, at);
      this.#torn = false;
    } catch (error) {
      this.#torn ||= at > 0;
      await this.close();
      throw error;
    }
  }

  reopen(): void {
    this.#reopens = true;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  async #ready(): Promise<OpenFile> {
    const now = performance.now();
    const file = this.#file;
    if (file !== undefined && !this.#reopens && now - this.#checkedAt < checkEveryMs) return file;
    this.#checkedAt = now;
    if (file !== undefined && !this.#reopens && (await this.#isAt(file))) return file;
    this.#reopens = false;
    const fresh = await openFile(this.#target);
    this.#file = fresh;
    await file?.handle.close();
    return fresh;
  }

  async #isAt({ dev, ino }: OpenFile): Promise<boolean> {
    const current = await stat(this.#target.path).catch(() => undefined);
    return current?.dev === dev && current.ino === ino;
  }
}

async function openFile({ path, mode, below }: LogFile): Promise<OpenFile> {
  if (below !== undefined) await mustBeBelow(below, path);
  // Without O_NONBLOCK a named pipe would block a thread forever.
  const flags = O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY | (below === undefined ? 0 : O_NOFOLLOW);
  const handle = await open(path, flags, mode ?? 0o600);
  try {
    const about = await handle.stat();
    if (!about.isFile() && !about.isCharacterDevice()) throw new NotRecorded('the path is not a file');
    if (mode !== undefined && about.isFile()) await handle.chmod(mode);
    return { handle, dev: about.dev, ino: about.ino };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Checks the folder of the file; O_NOFOLLOW protects the file itself, which may not exist yet. */
async function mustBeBelow(folder: string, path: string): Promise<void> {
  const [real, parent] = await Promise.all([realpath(folder), realpath(dirname(path))]);
  if (parent !== real && !isBelow(real, parent))
    throw new NotRecorded('a symbolic link leads out of the folder set by KEYFERRY_AUDIT_DIR');
}

/** Whether a path is below a folder. Both are absolute, without `..`. */
export const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
};

const append = (fd: number, bytes: Buffer, at: number): Promise<number> =>
  new Promise((resolve, reject) => {
    write(fd, bytes, at, bytes.length - at, null, (error, written) =>
      error === null ? resolve(written) : reject(error),
    );
  });

/** The standard output of the process. */
export const standardOutput: Outlet = {
  write: (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(lines.join(''), (error) => (error == null ? resolve() : reject(error)));
    }),
  close: async () => {},
};

/** Discards all lines; for measurements. */
export const discard: Outlet = { write: async () => {}, close: async () => {} };
