const [backslash, letterU, escapeBytes, pairBytes] = [0x5c, 0x75, 6, 12];

/**
 * Converts a valid JSON string, in pieces that may be cut anywhere, to the UTF-8 bytes of its value. Pieces without an escape are
 * returned unchanged.
 */
export class Unescape {
  #rest: Buffer = Buffer.alloc(0);

  /** The bytes of this piece. An incomplete escape at its end waits for the next piece. */
  push(piece: Buffer): Buffer {
    const whole = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const first = whole.indexOf(backslash);
    this.#rest = emptyRest;
    if (first < 0) return whole;
    // The value of an escape is never longer than the escape.
    const out = Buffer.allocUnsafe(whole.length);
    let [at, length] = [0, 0];
    for (let next = first; next >= 0; next = whole.indexOf(backslash, at)) {
      length += whole.copy(out, length, at, next);
      const end = escapeEnd(whole, next);
      if (end === undefined) {
        this.#rest = Buffer.from(whole.subarray(next));
        return out.subarray(0, length);
      }
      length += out.write(JSON.parse(`"${whole.toString('latin1', next, end)}"`), length);
      at = end;
    }
    length += whole.copy(out, length, at);
    return out.subarray(0, length);
  }
}

const emptyRest = Buffer.alloc(0);

/** The end of the run of escapes at `at`; undefined when its first escape continues in the next piece. */
function escapeEnd(bytes: Buffer, at: number): number | undefined {
  let end = at;
  while (bytes[end] === backslash) {
    const next = end + lengthAt(bytes, end);
    if (next > bytes.length || Number.isNaN(next)) break;
    end = next;
  }
  return end === at ? undefined : end;
}

/** Length of an escape, or of both halves of a surrogate pair, in bytes; NaN when it is incomplete. */
function lengthAt(bytes: Buffer, at: number): number {
  if (at + 1 >= bytes.length) return Number.NaN;
  if (bytes[at + 1] !== letterU) return 2;
  if (at + escapeBytes > bytes.length) return Number.NaN;
  const isFirstHalf = /^d[89ab]/i.test(bytes.toString('latin1', at + 2, at + escapeBytes));
  if (!isFirstHalf) return escapeBytes;
  if (at + pairBytes <= bytes.length) return isPair(bytes, at) ? pairBytes : escapeBytes;
  return Number.NaN;
}

const isPair = (bytes: Buffer, at: number): boolean =>
  /^\\u[\da-f]{4}\\ud[c-f]/i.test(bytes.toString('latin1', at, at + pairBytes));
