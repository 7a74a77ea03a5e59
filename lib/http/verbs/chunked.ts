/** A size line or a trailer line longer than this is not followed; the parser has refused it by then. */
const lineBytesMax = 16 * 1024;

/** Where a chunked body ended: at this offset of the bytes, not yet, or it cannot be followed. */
export type ChunkedEnd = number | 'more' | 'unclear';

/** Follows a chunked body (RFC 9112 section 7.1) over any split of its bytes, without keeping them. */
export class ChunkedBody {
  #line = '';
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
      const line = this.#readLine(bytes, position);
      if (line === undefined) return this.#line.length > lineBytesMax ? 'unclear' : 'more';
      position = line.end;
      const state = this.#trailers ? endOfTrailers(line.text) : this.#startChunk(line.text);
      if (state === 'end') return position;
      if (state === 'unclear') return 'unclear';
    }
    return 'more';
  }

  #readLine(bytes: Buffer, from: number): { readonly text: string; readonly end: number } | undefined {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline + 1;
    this.#line += bytes.toString('latin1', from, Math.min(end, from + lineBytesMax + 1));
    if (newline < 0) return undefined;
    const text = this.#line;
    this.#line = '';
    return { text, end };
  }

  #startChunk(line: string): 'go-on' | 'unclear' {
    const size = /^([0-9a-f]{1,12})(?:;.*)?\r\n$/i.exec(line)?.[1];
    if (size === undefined) return 'unclear';
    const bytes = Number.parseInt(size, 16);
    if (bytes === 0) this.#trailers = true;
    else this.#skip = bytes + '\r\n'.length;
    return 'go-on';
  }
}

const endOfTrailers = (line: string): 'end' | 'go-on' => (line === '\r\n' ? 'end' : 'go-on');
