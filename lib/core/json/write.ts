import { uuid } from '../ids.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { LongText } from './long-text.ts';

/** Text as a string or already in UTF-8. */
export type JsonPiece = string | Buffer;

/** Target length of a piece in characters; one more value may be appended. */
const pieceCharacters = 32_768;

type Container = readonly Json[] | JsonObject;
/** JSON text, or a container whose members are still to be written. */
type Token = JsonPiece | { readonly container: Container };

/** The JSON text of a value in pieces, as `JSON.stringify` writes it. */
export function* jsonPieces(value: Json): Generator<JsonPiece, undefined> {
  const open = [tokensOf(value)];
  let piece = '';
  for (let innermost = open.at(-1); innermost !== undefined; innermost = open.at(-1)) {
    const { value: token, done } = innermost.next();
    if (done === true) open.pop();
    else if (typeof token === 'string') piece += token;
    else if ('container' in token) open.push(members(token.container));
    if (piece.length >= pieceCharacters || token instanceof Buffer) {
      yield piece;
      piece = '';
    }
    if (token instanceof Buffer) yield token;
  }
  yield piece;
}

const members = (container: Container): Generator<Token, undefined> =>
  isArray(container) ? itemsOf(container) : membersOf(container);

function* itemsOf(list: readonly Json[]): Generator<Token, undefined> {
  yield '[';
  for (const [index, value] of list.entries()) {
    if (index > 0) yield ',';
    yield* tokensOf(value);
  }
  yield ']';
}

function* membersOf(object: JsonObject): Generator<Token, undefined> {
  let before = '{';
  // Object.entries of an object with very many members would take long.
  for (const key of Object.keys(object)) {
    yield `${before}${JSON.stringify(key)}:`;
    yield* tokensOf(object[key] ?? null);
    before = ',';
  }
  yield before === ',' ? '}' : '{}';
}

function* tokensOf(value: Json): Generator<Token, undefined> {
  if (value instanceof LongText) {
    yield '"';
    yield* value.pieces;
    yield '"';
  } else if (isArray(value) || isJsonObject(value)) yield { container: value };
  else yield JSON.stringify(value);
}

/** Whether the JSON text of a value is longer than the limit; stops as soon as that is known. */
export function isLongJson(value: Json, charactersMax: number): boolean {
  const left: Json[] = [value];
  let characters = 0;
  for (let one = left.pop(); one !== undefined && characters <= charactersMax; one = left.pop()) {
    if (one instanceof LongText) return true;
    characters += typeof one === 'string' ? one.length : 1;
    if (isArray(one)) left.push(...one.slice(0, charactersMax));
    else if (isJsonObject(one)) {
      for (const key in one) {
        characters += key.length;
        left.push(one[key] ?? null);
        if (characters + left.length > charactersMax) return true;
      }
    }
  }
  return characters > charactersMax;
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/**
 * A value whose JSON text exists already, in pieces in UTF-8, and is too long to parse and serialize again. `JSON.stringify` writes
 * an unguessable placeholder instead; `within` replaces it with the text.
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

  /** The JSON text, in pieces, of a value that contains this one. */
  within(whole: object): readonly Buffer[] {
    const [before = '', after = ''] = JSON.stringify(whole).split(JSON.stringify(this.#mark));
    return [Buffer.from(before), ...this.pieces, Buffer.from(after)];
  }
}
