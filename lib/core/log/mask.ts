/** What stands for a masked value. */
export const masked = '***';
/** Shorter values would mask parts of ordinary words, and say little. */
const charactersMin = 3;

/** A longer value is masked piece by piece. */
const pieceCharactersMax = 1_024;

/**
 * Replaces secret values in a text that arrives in pieces. A value is found also when it is cut between two pieces: the end of a piece that could
 * be the beginning of a value is held back.
 */
export class Mask {
  readonly #values: readonly string[];
  #held = '';

  constructor(values: readonly string[]) {
    const lines = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
    const forms = lines.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    this.#values = [...new Set(forms.flatMap(pieces))]
      .filter(({ length }) => length >= charactersMin)
      .toSorted((one, other) => other.length - one.length);
  }

  /** The part of the text that is certain by now. */
  take(piece: string): string {
    const text = this.#replaced(this.#held + piece);
    const cut = text.length - this.#openEnd(text);
    this.#held = text.slice(cut);
    return text.slice(0, cut);
  }

  /** A text that is not part of another one. */
  whole(text: string): string {
    return this.#replaced(text);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  #replaced(text: string): string {
    return this.#values.reduce((done, value) => done.replaceAll(value, masked), text);
  }

  /** Length of the longest end of the text that begins a value. */
  #openEnd(text: string): number {
    let longest = 0;
    for (const value of this.#values)
      for (let length = Math.min(value.length - 1, text.length); length > longest; length -= 1)
        if (text.endsWith(value.slice(0, length))) longest = length;
    return longest;
  }
}

const pieces = (value: string): readonly string[] =>
  Array.from({ length: Math.ceil(value.length / pieceCharactersMax) }, (_, at) =>
    value.slice(at * pieceCharactersMax, (at + 1) * pieceCharactersMax),
  );
