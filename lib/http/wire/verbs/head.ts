import { Lines } from './lines.ts';

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
