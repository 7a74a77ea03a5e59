import { LongText } from './long-text.ts';

/** A JSON syntax error. The message names the position and quotes nothing of the text. */
export class JsonProblem extends SyntaxError {
  override readonly name = 'JsonProblem';
}

export const invalidAt = (character: number): JsonProblem => new JsonProblem(`invalid JSON at character ${character}`);

const keyCharactersMax = 65_536;
const [quote, backslash, letterU, firstPrintable] = [0x22, 0x5c, 0x75, 0x20];
const shortEscape = 2;
const longEscape = 6;
/** The characters that may follow a backslash, apart from `u` and four digits. */
const escapable = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);

/** Reads one JSON string from behind its opening quote, piece by piece. */
export class TextReader {
  /** Position of its opening quote, in characters of the whole source. */
  readonly start: number;
  readonly #wholeMax: number;
  readonly #keeps: boolean;
  #pieces: string[] = [];
  readonly #long: Buffer[] = [];
  #length = 0;
  #escapes = false;

  /** `wholeMax`: a string with more characters stays in pieces; `nothing`: it is only checked. */
  constructor(start: number, wholeMax: number | 'nothing') {
    this.start = start;
    this.#keeps = wholeMax !== 'nothing';
    this.#wholeMax = wholeMax === 'nothing' ? 0 : wholeMax;
  }

  /** Length read so far, in characters. */
  get length(): number {
    return this.#length;
  }

  /**
   * Continues in this piece at `at`. Returns where it stopped and whether the string has ended; if not, the rest begins an escape
   * that continues in the next piece. `offset` is the number of characters before this piece.
   */
  read(source: string, from: number, offset: number): { readonly at: number; readonly whole: boolean } {
    let at = from;
    for (; at < source.length; at += 1) {
      const code = source.charCodeAt(at);
      if (code === quote) break;
      if (code < firstPrintable) throw invalidAt(offset + at);
      if (code !== backslash) continue;
      const end = this.#escape(source, at, offset);
      if (end === undefined) break;
      at = end - 1;
    }
    if (at > from && this.#keeps) this.#add(source.slice(from, at));
    const whole = source.charCodeAt(at) === quote;
    return { at: whole ? at + 1 : at, whole };
  }

  value(): string | LongText {
    return this.#long.length > 0 ? new LongText(this.#long) : this.#text();
  }

  key(): string {
    if (this.#length <= keyCharactersMax && this.#long.length === 0) return this.#text();
    throw new JsonProblem(`the key at character ${this.start} is longer than ${keyCharactersMax} characters`);
  }

  #add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#length <= this.#wholeMax) return;
    this.#long.push(...this.#pieces.map((one) => Buffer.from(one)));
    this.#pieces = [];
  }

  #text(): string {
    const [first = ''] = this.#pieces;
    const text = this.#pieces.length > 1 ? this.#pieces.join('') : first;
    // Every escape has been checked, so the plain parser accepts it.
    return this.#escapes ? String(JSON.parse(`"${text}"`)) : text;
  }

  /** End of the escape at `at`, including the second half of a surrogate pair; undefined when it continues beyond this piece. */
  #escape(source: string, at: number, offset: number): number | undefined {
    this.#escapes = true;
    if (at + 1 === source.length) return undefined;
    if (source.charCodeAt(at + 1) !== letterU) {
      if (!escapable.has(source.charAt(at + 1))) throw invalidAt(offset + at + 1);
      return at + shortEscape;
    }
    const unit = this.#unit(source, at, offset);
    if (unit === undefined || isNoHalf(unit)) return unit === undefined ? undefined : at + longEscape;
    const next = at + longEscape;
    if (source.length < next + shortEscape && '\\u'.startsWith(source.slice(next))) return undefined;
    const other = isFirstHalf(unit) && source.startsWith('\\u', next) ? this.#unit(source, next, offset) : 0;
    if (other === undefined) return undefined;
    if (isSecondHalf(other)) return next + longEscape;
    throw new JsonProblem(`a lone surrogate, which is not a character, at character ${offset + at}`);
  }

  /** The code unit of `\uXXXX`; undefined when some digits are in the next piece. */
  #unit(source: string, at: number, offset: number): number | undefined {
    const end = Math.min(at + longEscape, source.length);
    for (let digit = at + shortEscape; digit < end; digit += 1)
      if (!isHexDigit(source.charCodeAt(digit))) throw invalidAt(offset + digit);
    return end < at + longEscape ? undefined : Number.parseInt(source.slice(at + shortEscape, end), 16);
  }
}

/** V8 copies shorter slices of a string; a longer slice refers to its source string, which then stays in memory. */
const partCharactersMin = 13;

/** A copy that does not refer to a source string. */
export const copyOf = (text: string): string => (text.length < partCharactersMin ? text : Buffer.from(text).toString());

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isSecondHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
const isNoHalf = (unit: number): boolean => !isFirstHalf(unit) && !isSecondHalf(unit);

const isHexDigit = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
