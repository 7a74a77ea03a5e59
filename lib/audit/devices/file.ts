import { constants, write } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { NotRecorded, type Outlet } from './outlet.ts';

/** How often is looked whether the path still leads to the open file. */
const lookMs = 1_000;
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

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
  readonly #path: string;
  readonly #mode: number | undefined;
  #file: OpenFile | undefined;
  #lookedAt = 0;
  #again = false;
  /** A line was written in part. */
  #torn = false;

  /** `mode`: of the file; undefined: that of an existing one stays. */
  constructor(path: string, mode: number | undefined) {
    this.#path = path;
    this.#mode = mode;
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
    const fresh = await openFile(this.#path, this.#mode);
    this.#file = fresh;
    await file?.handle.close();
    return fresh;
  }

  async #isAt({ dev, ino }: OpenFile): Promise<boolean> {
    const there = await stat(this.#path).catch(() => undefined);
    return there?.dev === dev && there.ino === ino;
  }
}

async function openFile(path: string, mode: number | undefined): Promise<OpenFile> {
  // Without O_NONBLOCK a named pipe would hold a thread for good.
  const handle = await open(path, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, mode ?? 0o600);
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
