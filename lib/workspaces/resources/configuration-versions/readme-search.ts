import { once } from 'node:events';
import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** A longer README is truncated. */
const readmeBytesMax = 65_536;
/** Of the unpacked archive; the search stops there. */
const unpackedBytesMax = 67_108_864;

/**
 * Finds README.md in a gzipped tar archive while it is streamed: the one in the given folder, else the one in the root. An archive
 * that cannot be unpacked counts as having none; the agent that runs it will report the error.
 */
export class ReadmeSearch {
  readonly #gunzip = createGunzip();
  readonly #ends: Promise<void>;
  readonly #found = new Map<string, Buffer>();
  readonly #paths: readonly string[];
  #over = false;

  /** `folder` is relative to the root of the archive; empty means the root. */
  constructor(folder: string) {
    this.#paths = [...new Set([posix.join('/', folder, 'README.md'), '/README.md'])];
    this.#ends = this.#search()
      .catch(() => {})
      .finally(() => {
        this.#over = true;
        this.#gunzip.destroy();
      });
  }

  /** Passes on the next chunk; waits while earlier ones are being unpacked. */
  async look(piece: Buffer): Promise<void> {
    if (this.#over || this.#gunzip.write(piece)) return;
    const drained = once(this.#gunzip, 'drain').catch(() => {});
    await Promise.race([drained, this.#ends]);
  }

  /** Call after the last chunk. Undefined when the archive has no README. */
  async end(): Promise<Buffer | undefined> {
    if (!this.#over) this.#gunzip.end();
    await this.#ends;
    return this.#paths.map((path) => this.#found.get(path)).find((text) => text !== undefined);
  }

  /** Stops the search. */
  abandon(): void {
    this.#gunzip.destroy(new Error('the archive was not received completely'));
  }

  async #search(): Promise<void> {
    const entries = extract();
    let unpacked = 0;
    this.#gunzip.on('data', (piece: Buffer) => {
      unpacked += piece.length;
      if (unpacked > unpackedBytesMax) this.abandon();
    });
    this.#gunzip.on('error', (error) => entries.destroy(error));
    this.#gunzip.pipe(entries);
    for await (const entry of entries) {
      const path = posix.join('/', entry.header.name);
      if (entry.header.type === 'file' && this.#paths.includes(path)) this.#found.set(path, await startOf(entry));
      else entry.resume();
      if (this.#found.has(this.#paths[0] ?? '')) return;
    }
  }
}

/** The first bytes of a file, without a partial character at the end. */
async function startOf(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of entry) {
    const room = readmeBytesMax - pieces.reduce((sum, { length }) => sum + length, 0);
    if (room > 0) pieces.push((piece as Buffer).subarray(0, room));
  }
  const text = Buffer.concat(pieces);
  return Buffer.from(new TextDecoder().decode(text, { stream: text.length === readmeBytesMax }));
}
