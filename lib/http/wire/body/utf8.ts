import { type AppError, badRequest } from '#core/errors.ts';

/** Keeps a byte order mark; the reader of the text skips it. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const pieceBytes = 32_768;

/** @throws AppError `bad-request` for invalid UTF-8, which would otherwise be stored as a different text */
export function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

/** Decodes bytes, however they are split, into large pieces of text. */
export class Utf8Pieces {
  readonly #gathered = Buffer.allocUnsafe(pieceBytes);
  #filled = 0;

  /** The pieces of text that these bytes complete. @throws AppError `bad-request` */
  add(bytes: Buffer): readonly string[] {
    const pieces: string[] = [];
    let copied = 0;
    while (copied < bytes.length) {
      const count = bytes.copy(this.#gathered, this.#filled, copied);
      copied += count;
      this.#filled += count;
      if (this.#filled === this.#gathered.length) pieces.push(this.#cut());
    }
    return pieces;
  }

  /** The rest of the text. @throws AppError `bad-request` */
  end(): string {
    return textOf(this.#gathered.subarray(0, this.#filled));
  }

  /** Cuts off a piece; an incomplete character at its end stays for the next piece. */
  #cut(): string {
    const end = this.#gathered.length - unfinished(this.#gathered);
    const piece = textOf(this.#gathered.subarray(0, end));
    this.#gathered.copyWithin(0, end);
    this.#filled = this.#gathered.length - end;
    return piece;
  }
}

/** The number of bytes of an incomplete character at the end. */
function unfinished(bytes: Buffer): number {
  for (let count = 1; count <= 3; count += 1) {
    const byte = bytes[bytes.length - count] ?? 0;
    if (byte >= 0xc0) return lengthOf(byte) > count ? count : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

const lengthOf = (firstByte: number): number => (firstByte >= 0xf0 ? 4 : firstByte >= 0xe0 ? 3 : 2);

export const notUtf8 = (): AppError =>
  badRequest('the request body is not valid UTF-8: nothing was done; send binary values encoded, such as in Base64');
