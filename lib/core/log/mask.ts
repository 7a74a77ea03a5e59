/** What stands for a masked value. */
export const masked = '***';
/** Shorter values would mask parts of ordinary words, and say little. */
const charactersMin = 3;

/** A longer value is masked piece by piece. */
const pieceCharactersMax = 1_024;

/** Where values are in a text: from the first character to the one behind the last. Values that overlap form one range. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Replaces secret values in a text that arrives in pieces. What it returns does not depend on where the text is cut: the end of a piece that could
 * be the beginning of a value is held back.
 */
export class Mask {
  readonly #values: readonly string[];
  /** The end of the text so far that may begin a value. */
  #held = '';
  /** Characters of it that belong to a value which is masked already. */
  #covered = 0;

  constructor(values: readonly string[]) {
    const lines = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
    const forms = lines.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
    this.#values = [...new Set(forms.flatMap(pieces))].filter(({ length }) => length >= charactersMin);
  }

  /** The part of the text that is certain by now. */
  take(piece: string): string {
    const text = this.#held + piece;
    return this.#upTo(text, text.length - this.#openEnd(text));
  }

  /** A text that is not part of another one. */
  whole(text: string): string {
    return this.#masked(text, 0, text.length).shown;
  }

  end(): string {
    return this.#upTo(this.#held, this.#held.length);
  }

  /** Masks what begins before `end`, and holds the rest. */
  #upTo(text: string, end: number): string {
    const { shown, done } = this.#masked(text, this.#covered, end);
    this.#held = text.slice(end);
    this.#covered = Math.max(0, done - end);
    return shown;
  }

  /** The text from `covered` on, with what is done after it: the rest of a value that begins before `end` is covered as well. */
  #masked(text: string, covered: number, end: number): { readonly shown: string; readonly done: number } {
    let [shown, done] = ['', covered];
    for (const { from, to } of this.#ranges(text)) {
      if (from >= end) break;
      // A range that begins in what is covered goes on with the value that is masked there.
      if (from >= done) shown += text.slice(done, from) + masked;
      done = Math.max(done, to);
    }
    return { shown: shown + text.slice(done, Math.max(done, end)), done };
  }

  #ranges(text: string): readonly Range[] {
    const found = this.#values.flatMap((value) => occurrences(text, value));
    return found.toSorted((one, other) => one.from - other.from || other.to - one.to);
  }

  /** Length of the longest end of the text that begins a value, but is not all of it. */
  #openEnd(text: string): number {
    let longest = 0;
    for (const value of this.#values)
      for (let length = Math.min(value.length - 1, text.length); length > longest; length -= 1)
        if (text.endsWith(value.slice(0, length))) longest = length;
    return longest;
  }
}

/** All occurrences, also those that overlap. */
function occurrences(text: string, value: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let from = text.indexOf(value); from !== -1; from = text.indexOf(value, from + 1)) {
    ranges.push({ from, to: from + value.length });
  }
  return ranges;
}

const pieces = (value: string): readonly string[] =>
  Array.from({ length: Math.ceil(value.length / pieceCharactersMax) }, (_, at) =>
    value.slice(at * pieceCharactersMax, (at + 1) * pieceCharactersMax),
  );
