import { uuid } from '../ids.ts';

/**
 * A value whose JSON text is there already, in pieces in UTF-8, and is too long to be read and written again. `JSON.stringify`
 * writes a mark instead, which nobody can guess; `within` puts the text there.
 */
export class WrittenJson {
  readonly pieces: readonly Buffer[];
  readonly #mark = uuid();

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  toJSON(): string {
    return this.#mark;
  }

  /** The JSON text of something that holds this value, in pieces. */
  within(whole: object): readonly Buffer[] {
    const [before = '', after = ''] = JSON.stringify(whole).split(JSON.stringify(this.#mark));
    return [Buffer.from(before), ...this.pieces, Buffer.from(after)];
  }
}
