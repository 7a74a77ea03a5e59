/** How the body that follows a request's head is delimited. */
export type BodyFraming = { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' };

/** The head's end and the body's framing; `more` when the head continues; `unclear` to leave the connection to the parser. */
export type HeadEnd = { readonly end: number; readonly framing: BodyFraming } | 'more' | 'unclear';

/** The parser's own limit is lower, so it refuses a longer head first. */
const headBytesMax = 64 * 1024;
const requestLineEnd = ' HTTP/1.1\r\n';
const framingHeader = /^(content-length|transfer-encoding):[ \t]*(.*?)[ \t]*\r\n$/i;

/**
 * Reads the framing from a request's head according to RFC 9112, section 6.3. Heads that a strict parser refuses, CONNECT and
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
    // A line that begins with a space would continue the previous one: obsolete, and refused by the parser.
    if (!line.endsWith('\r\n') || line.startsWith(' ') || line.startsWith('\t')) return false;
    const [, name, value] = /^[ct]/i.test(line) ? (framingHeader.exec(line) ?? []) : [];
    return name === undefined || this.#takesFraming(name.toLowerCase(), value ?? '');
  }

  /** Accepts one of the two headers, once. */
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

/** A longer size line or trailer line is not followed; the parser refuses it first. */
const lineBytesMax = 16 * 1024;
const sizeLine = /^([0-9a-f]{1,12})(?:;.*)?\r\n$/i;

/** The offset at which a chunked body ended; `more` when it continues; `unclear` when it cannot be followed. */
export type ChunkedEnd = number | 'more' | 'unclear';

/** Follows a chunked body (RFC 9112 section 7.1) over any split of its bytes, without keeping them. */
export class ChunkedBody {
  readonly #lines = new Lines(lineBytesMax);
  #skip = 0;
  #trailers = false;

  /** Reads the bytes from `at` on. */
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

  /** An empty chunk is the last one; trailers follow it. */
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

/** A line including its end, and the offset of the next one. */
export interface Line {
  readonly text: string;
  readonly end: number;
}

/** Splits bytes into lines, however they arrive; keeps at most `bytesMax` of an unfinished line. */
export class Lines {
  readonly #bytesMax: number;
  #unfinished = '';

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The next line from `from` on, as Latin-1; `more` when it has not ended yet, `too-long` when it exceeds the limit. */
  next(bytes: Buffer, from: number): Line | 'more' | 'too-long' {
    const at = bytes.indexOf(newline, from);
    const end = at < 0 ? bytes.length : at + 1;
    if (this.#unfinished.length + end - from > this.#bytesMax) return 'too-long';
    const text = this.#unfinished + bytes.toString('latin1', from, end);
    this.#unfinished = at < 0 ? text : '';
    return at < 0 ? 'more' : { text, end };
  }
}
