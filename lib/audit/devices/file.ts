import { constants, write } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, relative } from 'node:path';
import { NotRecorded, type Outlet } from './outlet.ts';

/** How often is looked whether the path still leads to the open file. */
const lookMs = 1_000;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;

/** Where a device writes. */
export interface LogFile {
  readonly path: string;
  /** Of the file; undefined: that of an existing one stays. */
  readonly mode: number | undefined;
  /** It lies below this folder, also when symbolic links are followed; undefined: anywhere. */
  readonly below: string | undefined;
}

interface OpenFile {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
}

/**
 * Appends to a file. It is opened again after a failure, when it was moved or removed, and when somebody asks for it: the lines
 * before that go to the file of before.
 */
export class FileOutlet implements Outlet {
  readonly #place: LogFile;
  #file: OpenFile | undefined;
  #lookedAt = 0;
  #again = false;
  /** A line was written in part. */
  #torn = false;

  constructor(place: LogFile) {
    this.#place = place;
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
    this.#again = true;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }

  async #ready(): Promise<OpenFile> {
    const now = performance.now();
    const file = this.#file;
    if (file !== undefined && !this.#again && now - this.#lookedAt < lookMs) return file;
    this.#lookedAt = now;
    if (file !== undefined && !this.#again && (await this.#isAt(file))) return file;
    this.#again = false;
    const fresh = await openFile(this.#place);
    this.#file = fresh;
    await file?.handle.close();
    return fresh;
  }

  async #isAt({ dev, ino }: OpenFile): Promise<boolean> {
    const there = await stat(this.#place.path).catch(() => undefined);
    return there?.dev === dev && there.ino === ino;
  }
}

async function openFile({ path, mode, below }: LogFile): Promise<OpenFile> {
  if (below !== undefined) await mustLieBelow(below, path);
  // Without O_NONBLOCK a named pipe would hold a thread for good.
  const flags = O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY | (below === undefined ? 0 : O_NOFOLLOW);
  const handle = await open(path, flags, mode ?? 0o600);
  try {
    const about = await handle.stat();
    if (!about.isFile() && !about.isCharacterDevice()) throw new NotRecorded('the path is no file');
    if (mode !== undefined && about.isFile()) await handle.chmod(mode);
    return { handle, dev: about.dev, ino: about.ino };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The last part of the path is left to O_NOFOLLOW: the file may not be there yet. */
async function mustLieBelow(folder: string, path: string): Promise<void> {
  const [real, parent] = await Promise.all([realpath(folder), realpath(dirname(path))]);
  if (parent !== real && !isBelow(real, parent))
    throw new NotRecorded('a symbolic link leads out of the folder that KEYFERRY_AUDIT_DIR names');
}

/** Whether a path leads below a folder. Both are absolute, without `..`. */
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

/** Nowhere; for measurements. */
export const discard: Outlet = { write: async () => {}, close: async () => {} };
