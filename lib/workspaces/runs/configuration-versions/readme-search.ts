import { once } from 'node:events';
import { posix } from 'node:path';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';

/** Of a README; what is beyond is cut off. */
const readmeBytesMax = 65_536;
/** Of an archive, unpacked; no README is looked for behind that. */
const unpackedBytesMax = 67_108_864;

/**
 * Finds README.md in an archive (tar, packed with gzip) while its pieces pass by: that of a folder, else that of the root. An
 * archive that cannot be unpacked has none: whoever runs it will say what is wrong with it.
 */
export class ReadmeSearch {
  readonly #gunzip = createGunzip();
  readonly #ends: Promise<void>;
  readonly #found = new Map<string, Buffer>();
  readonly #paths: readonly string[];
  #over = false;

  /** `folder`: relative to the root of the archive; empty: the root. */
  constructor(folder: string) {
    this.#paths = [...new Set([posix.join('/', folder, 'README.md'), '/README.md'])];
    this.#ends = this.#search()
      .catch(() => {})
      .finally(() => {
        this.#over = true;
        this.#gunzip.destroy();
      });
  }

  /** Takes the next piece; waits while earlier ones are being unpacked. */
  async look(piece: Buffer): Promise<void> {
    if (this.#over || this.#gunzip.write(piece)) return;
    const drained = once(this.#gunzip, 'drain').catch(() => {});
    await Promise.race([drained, this.#ends]);
  }

  /** After the last piece. Undefined: there is none. */
  async end(): Promise<Buffer | undefined> {
    if (!this.#over) this.#gunzip.end();
    await this.#ends;
    return this.#paths.map((path) => this.#found.get(path)).find((text) => text !== undefined);
  }

  /** What was begun is given up. */
  abandon(): void {
    this.#gunzip.destroy(new Error('the archive does not come any more'));
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

/** The first bytes of a file, without half a character at the end. */
async function startOf(entry: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of entry) {
    const room = readmeBytesMax - pieces.reduce((sum, { length }) => sum + length, 0);
    if (room > 0) pieces.push((piece as Buffer).subarray(0, room));
  }
  const text = Buffer.concat(pieces);
  return Buffer.from(new TextDecoder().decode(text, { stream: text.length === readmeBytesMax }));
}
