/** How the body that follows a request's head is delimited. */
export type BodyFraming = { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' };

/** The head's end and the body's framing; `more`: it goes on; `unclear`: leave the rest of the connection to the parser. */
export type HeadEnd = { readonly end: number; readonly framing: BodyFraming } | 'more' | 'unclear';

/** The parser's own limit is lower, so it has refused a longer head by then. */
const headBytesMax = 64 * 1024;
const requestLineEnd = ' HTTP/1.1\r\n';
const framingHeader = /^(content-length|transfer-encoding):[ \t]*(.*?)[ \t]*\r\n$/i;

/**
 * Reads the framing from a request's head as RFC 9112 section 6.3 says. Whatever a strict parser refuses, CONNECT and
 * HTTP/1.0 are `unclear`.
 */
export class RequestHead {
  readonly #lines = new Lines(headBytesMax);
  #bytes = 0;
  #requestLine = true;
  #length: string | undefined;
  #coding: string | undefined;

  follow(bytes: Buffer, at: number): HeadEnd {
    let position = at;
    while (position < bytes.length) {
      const line = this.#lines.next(bytes, position);
      if (typeof line === 'string') return line === 'more' ? 'more' : 'unclear';
      position = line.end;
      this.#bytes += line.text.length;
      if (line.text === '\r\n') return this.#ended(position);
      if (!this.#accepts(line.text) || this.#bytes > headBytesMax) return 'unclear';
    }
    return 'more';
  }

  #accepts(line: string): boolean {
    if (this.#requestLine) {
      this.#requestLine = false;
      return line.endsWith(requestLineEnd) && !line.startsWith('CONNECT ');
    }
    // A line that begins with a space continues the one before: nobody sends that any more and the parser refuses it.
    if (!line.endsWith('\r\n') || line.startsWith(' ') || line.startsWith('\t')) return false;
    const [, name, value] = /^[ct]/i.test(line) ? (framingHeader.exec(line) ?? []) : [];
    return name === undefined || this.#takesFraming(name.toLowerCase(), value ?? '');
  }

  /** Each of the two may stand once, and not both. */
  #takesFraming(name: string, value: string): boolean {
    if (this.#length !== undefined || this.#coding !== undefined) return false;
    if (name === 'content-length') this.#length = value;
    else this.#coding = value.toLowerCase();
    return true;
  }

  #ended(end: number): HeadEnd {
    if (this.#requestLine) return 'unclear';
    if (this.#coding !== undefined)
      return this.#coding === 'chunked' ? { end, framing: { kind: 'chunked' } } : 'unclear';
    const length = this.#length ?? '0';
    return /^\d{1,15}$/.test(length) ? { end, framing: { kind: 'length', bytes: Number(length) } } : 'unclear';
  }
}

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

const newline = 0x0a;

/** A line with its end, and where the next one begins. */
export interface Line {
  readonly text: string;
  readonly end: number;
}

/** Cuts bytes into lines, whatever their split; of an unfinished line it keeps at most `bytesMax`. */
export class Lines {
  readonly #bytesMax: number;
  #unfinished = '';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The line that ends next at or after `from`, as Latin-1; `more`: it has not ended; `too-long`: it is given up. */
  next(bytes: Buffer, from: number): Line | 'more' | 'too-long' {
    const at = bytes.indexOf(newline, from);
    const end = at < 0 ? bytes.length : at + 1;
    if (this.#unfinished.length + end - from > this.#bytesMax) return 'too-long';
    const text = this.#unfinished + bytes.toString('latin1', from, end);
    this.#unfinished = at < 0 ? text : '';
    return at < 0 ? 'more' : { text, end };
  }
}
