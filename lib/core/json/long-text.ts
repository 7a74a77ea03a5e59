/**
 * A text of JSON that is too long to be put together: its bytes in UTF-8 as they stood between the quotes, escapes and all.
 * Nobody computes with such a text; it is written as it came. Buffers are no burden for the garbage collector.
 */
export class LongText {
  readonly pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  /** The text itself, for `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(`"${Buffer.concat(this.pieces).toString()}"`);
  }
}
