import { Lines } from './lines.ts';

/** A size line or a trailer line longer than this is not followed; the parser has refused it by then. */
const lineBytesMax = 16 * 1024;
const sizeLine = /^([0-9a-f]{1,12})(?:;.*)?\r\n$/i;

/** Where a chunked body ended: at this offset of the bytes, not yet, or it cannot be followed. */
export type ChunkedEnd = number | 'more' | 'unclear';

/** Follows a chunked body (RFC 9112 section 7.1) over any split of its bytes, without keeping them. */
export class ChunkedBody {
  readonly #lines = new Lines(lineBytesMax);
  #skip = 0;
  #trailers = false;

  /** Takes bytes from `at` on. */
  follow(bytes: Buffer, at: number): ChunkedEnd {
    let position = at;
    while (position < bytes.length) {
      const skipped = Math.min(this.#skip, bytes.length - position);
      this.#skip -= skipped;
      position += skipped;
      if (position === bytes.length) return 'more';
      const line = this.#lines.next(bytes, position);
      if (typeof line === 'string') return line === 'more' ? 'more' : 'unclear';
      position = line.end;
      if (this.#trailers && line.text === '\r\n') return position;
      if (!this.#trailers && !this.#startChunk(line.text)) return 'unclear';
    }
    return 'more';
  }

  /** The last chunk is empty; trailers follow it. */
  #startChunk(line: string): boolean {
    const size = sizeLine.exec(line)?.[1];
    if (size === undefined) return false;
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) this.#trailers = true;
    else this.#skip = bytes + '\r\n'.length;
    return true;
  }
}
