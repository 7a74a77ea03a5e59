import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/**
 * The form of a backup: frames of one letter, the length of the content (4 bytes, big endian) and the content. `H`: what it is,
 * first. `T`: a table begins. `D`: a piece of its rows. `E`: the closing record, with the rows of each table. `S`: SHA-256 of all
 * before it; nothing follows.
 */
export type FrameKind = 'H' | 'T' | 'D' | 'E' | 'S';

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Buffer;
}

const headBytes = 5;

/** What a backup is written to. */
export type BackupFile = Pick<FileHandle, 'writev' | 'sync'>;

/** Writes frames one after the other. */
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
    if (bytesWritten !== head.length + content.length) throw new Error('the file takes no more');
  }

  writeJson(kind: FrameKind, content: object): Promise<void> {
    return this.write(kind, Buffer.from(JSON.stringify(content)));
  }

  /** Answers the checksum, in hex. */
  async finish(): Promise<string> {
    const sum = this.#hash.digest();
    const head = Buffer.from([0x53, 0, 0, 0, sum.length]);
    await this.#file.writev([head, sum]);
    await this.#file.sync();
    return sum.toString('hex');
  }
}

/** Reads frames from the begin of the file, and answers their checksum, in hex. @throws Error where it is cut off or altered */
export async function* readFrames(file: FileHandle): AsyncGenerator<Frame, string, undefined> {
  const hash = createHash('sha256');
  const { size } = await file.stat();
  for (let at = 0; ; ) {
    const head = await exactly(file, at, headBytes);
    const kind = head.toString('latin1', 0, 1);
    const length = head.readUInt32BE(1);
    // A length that was altered must not take memory.
    if (!isKind(kind) || at + headBytes + length > size) throw damaged();
    const content = await exactly(file, at + headBytes, length);
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

async function exactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) throw damaged();
    filled += bytesRead;
  }
  return buffer;
}

export const damaged = () => new Error('the file is no backup of this service, or it is damaged or incomplete');
