/**
 * A JSON string too long to join: its bytes in UTF-8 between the quotes, including escapes. Such a string is only copied to the
 * output. Buffers keep it out of the garbage collector's heap.
 */
export class LongText {
  readonly pieces: readonly Buffer[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  /** The string itself, for `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(`"${Buffer.concat(this.pieces).toString()}"`);
  }
}
