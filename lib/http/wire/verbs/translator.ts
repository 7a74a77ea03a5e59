import { ChunkedBody, RequestHead } from './framing.ts';
import { decidingLength, disguiseOf } from './names.ts';

const none: Buffer = Buffer.alloc(0);

/**
 * Replaces the verbs that Node's parser refuses in the bytes of one connection, and only at the start of a request. To know where
 * requests start, it follows their framing, however the bytes are split; up to four bytes of a verb may wait for the rest. The
 * parser refuses a request with unusual framing and ends the connection, so from there on the bytes stay unchanged.
 *
 * Phases: `start` → `head` → `body` or `chunked` → `start` …; `untouched` is final.
 */
export class VerbTranslator {
  #phase: 'start' | 'head' | 'body' | 'chunked' | 'untouched' = 'start';
  #waiting = none;
  #head = new RequestHead();
  #bodyBytes = 0;
  #chunked = new ChunkedBody();

  /** The bytes for the parser; may be `chunk` itself, changed in place. */
  translate(chunk: Buffer): Buffer {
    if (this.#phase === 'untouched') return chunk;
    const bytes = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    this.#waiting = none;
    let at = 0;
    while (at < bytes.length) {
      const next = this.#advance(bytes, at);
      if (next === 'wait') return this.#hold(bytes, at);
      at = next;
    }
    return bytes;
  }

  /** The bytes still held when the client ends the connection. */
  flush(): Buffer {
    const waiting = this.#waiting;
    this.#waiting = none;
    return waiting;
  }

  #hold(bytes: Buffer, at: number): Buffer {
    this.#waiting = Buffer.from(bytes.subarray(at));
    return bytes.subarray(0, at);
  }

  #advance(bytes: Buffer, at: number): number | 'wait' {
    switch (this.#phase) {
      case 'start':
        return this.#start(bytes, at);
      case 'head':
        return this.#followHead(bytes, at);
      case 'body':
        return this.#followBody(bytes, at);
      case 'chunked':
        return this.#followChunks(bytes, at);
      case 'untouched':
        return bytes.length;
    }
  }

  /** Empty lines before a request are allowed (RFC 9112, section 2.2). */
  #start(bytes: Buffer, at: number): number | 'wait' {
    if (bytes[at] === 0x0d || bytes[at] === 0x0a) return at + 1;
    const disguise = disguiseOf(bytes.toString('latin1', at, Math.min(at + decidingLength, bytes.length)));
    if (disguise === 'wait') return 'wait';
    if (disguise !== 'leave') bytes.write(disguise.verb, at, 'latin1');
    this.#phase = 'head';
    return at;
  }

  #followHead(bytes: Buffer, at: number): number {
    const head = this.#head.follow(bytes, at);
    if (head === 'more') return bytes.length;
    if (head === 'unclear') return this.#leave(bytes);
    this.#head = new RequestHead();
    this.#bodyBytes = head.framing.kind === 'length' ? head.framing.bytes : 0;
    if (head.framing.kind === 'chunked') this.#phase = 'chunked';
    else this.#phase = this.#bodyBytes > 0 ? 'body' : 'start';
    return head.end;
  }

  #followBody(bytes: Buffer, at: number): number {
    const taken = Math.min(this.#bodyBytes, bytes.length - at);
    this.#bodyBytes -= taken;
    if (this.#bodyBytes === 0) this.#phase = 'start';
    return at + taken;
  }

  #followChunks(bytes: Buffer, at: number): number {
    const end = this.#chunked.follow(bytes, at);
    if (end === 'more') return bytes.length;
    if (end === 'unclear') return this.#leave(bytes);
    this.#chunked = new ChunkedBody();
    this.#phase = 'start';
    return end;
  }

  #leave(bytes: Buffer): number {
    this.#phase = 'untouched';
    return bytes.length;
  }
}
