import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/**
 * The format of a backup: a sequence of frames. A frame is one letter, the length of the content (4 bytes, big endian) and the
 * content. `H`: the header, always first. `T`: start of a table. `D`: a piece of its rows. `E`: the closing record with the number
 * of rows of each table. `S`: SHA-256 of everything before it; always last.
 */
export type FrameKind = 'H' | 'T' | 'D' | 'E' | 'S';

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

const headBytes = 5;

/** The file that a backup is written to. */
export type BackupFile = Pick<FileHandle, 'writev' | 'sync'>;

/** Writes frames in sequence. */
export class FrameWriter {
  readonly #file: BackupFile;
  readonly #hash = createHash('sha256');
  bytes = 0;

  constructor(file: BackupFile) {
    this.#file = file;
  }

  async write(kind: FrameKind, content: Buffer): Promise<void> {
    const head = Buffer.alloc(headBytes);
    head.write(kind, 'latin1');
    head.writeUInt32BE(content.length, 1);
    for (const piece of [head, content]) {
      this.#hash.update(piece);
      this.bytes += piece.length;
    }
    const { bytesWritten } = await this.#file.writev([head, content]);
    if (bytesWritten !== head.length + content.length)
      throw new Error('the backup file could not be written completely');
  }

  writeJson(kind: FrameKind, content: object): Promise<void> {
    return this.write(kind, Buffer.from(JSON.stringify(content)));
  }

  /** Writes the checksum and returns it in hex. */
  async finish(): Promise<string> {
    const sum = this.#hash.digest();
    const head = Buffer.from([0x53, 0, 0, 0, sum.length]);
    await this.#file.writev([head, sum]);
    await this.#file.sync();
    return sum.toString('hex');
  }
}

/** Reads frames from the start of the file and returns their checksum in hex. @throws Error when the file is truncated or altered */
export async function* readFrames(file: FileHandle): AsyncGenerator<Frame, string, undefined> {
  const hash = createHash('sha256');
  const { size } = await file.stat();
  for (let at = 0; ; ) {
    const head = await readExactly(file, at, headBytes);
    const kind = head.toString('latin1', 0, 1);
    const length = head.readUInt32BE(1);
    // An altered length must not make us allocate memory.
    if (!isKind(kind) || at + headBytes + length > size) throw damaged();
    const content = await readExactly(file, at + headBytes, length);
    at += headBytes + length;
    if (kind === 'S') {
      const sum = hash.digest();
      if (!sum.equals(content) || at !== size) throw damaged();
      return sum.toString('hex');
    }
    hash.update(head).update(content);
    yield { kind, content };
  }
}

const isKind = (kind: string): kind is FrameKind => 'HTDES'.includes(kind);

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw damaged();
    filled += bytesRead;
  }
  return buffer;
}

export const damaged = () => new Error('the file is not a backup of this service, or it is damaged or incomplete');
