import { type Json, numberOf } from './json.ts';
import { copyOf, invalidAt, JsonProblem, TextReader } from './text.ts';

export interface JsonBounds {
  /** Maximum nesting depth of objects and lists. */
  readonly levelsMax: number;
  /** Maximum number of members of all objects and items of all lists together. */
  readonly membersMax: number;
  /** A string with more characters becomes a `LongText`. Absent: never. */
  readonly wholeMax?: number;
  /** Maximum length of one string. Absent: no limit. */
  readonly textCharactersMax?: number;
  /**
   * Chooses what to keep of each complete value, for callers that need a small part of a long text; undefined drops the value. The
   * strings are then copies, because a short string would otherwise keep its whole piece in memory.
   */
  readonly keep?: (value: Json, place: JsonPlace) => Json | undefined;
  /**
   * Whether to skip an object or a list that begins here: it is checked but takes no memory, and its keys are not compared. The value
   * of a skipped list is the number of its items, that of a skipped object is null. Its members do not count towards the maximum.
   */
  readonly isPassedOver?: (place: JsonPlace) => boolean;
}

/** The position of a value. */
export interface JsonPlace {
  /** Its depth: the number of containers around it. */
  readonly depth: number;
  /** Its key in the outermost object. */
  readonly member: string;
  /** Its own key; empty in a list. */
  readonly key: string;
  readonly isPassedOver: boolean;
}

/** Maximum length of a number; a longer one is certainly a mistake. */
const numberCharactersMax = 65_536;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
const words = { t: ['true', true], f: ['false', false], n: ['null', null] } as const;

type Container =
  | { readonly members: Record<string, Json>; key: string }
  | { readonly items: Json[] }
  | { readonly passed: 'object' | 'list'; count: number };
type Expected = 'value' | 'first item' | 'first key' | 'key' | 'colon' | 'rest' | 'end';

/**
 * Parses JSON (RFC 8259) piece by piece as it arrives, so that a long text is never held as a whole and never blocks other work.
 * Stricter than `JSON.parse` where two parsers could disagree: duplicate keys and lone surrogates are refused. Numbers keep their
 * digits. The work is linear in the length of the text.
 *
 * After each token, `#expected` says what may follow and `#open` holds the containers around it, innermost last. A token that may
 * continue in the next piece is kept and read again together with that piece.
 */
export class JsonReader {
  readonly #bounds: JsonBounds;
  readonly #open: Container[] = [];
  #source = '';
  #at = 0;
  /** Number of characters before this piece. */
  #offset = 0;
  #last = false;
  #members = 0;
  #expected: Expected = 'value';
  #text: TextReader | undefined;
  #value: Json = null;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Number of members of all objects and items of all lists so far. */
  get members(): number {
    return this.#members;
  }

  /** Parses the next piece, which should have a few thousand characters. @throws JsonProblem */
  read(piece: string): void {
    this.#offset += this.#at;
    this.#source = this.#at === this.#source.length ? piece : this.#source.slice(this.#at) + piece;
    this.#at = 0;
    this.#go();
  }

  /** Returns the value after the last piece. @throws JsonProblem */
  end(): Json {
    this.#last = true;
    this.#go();
    if (this.#at < this.#source.length || this.#expected !== 'end') throw this.#unexpected();
    return this.#value;
  }

  /** Reads up to the end of the piece, or to a token that may continue in the next. */
  #go(): void {
    let before = -1;
    while (this.#at < this.#source.length && this.#at !== before) {
      before = this.#at;
      if (this.#text === undefined) this.#token();
      else this.#readText(this.#text);
    }
  }

  #token(): void {
    const character = this.#source.charAt(this.#at);
    if (character === ' ' || character === '\n' || character === '\r' || character === '\t') this.#at += 1;
    else if (this.#expected === 'rest') this.#afterValue(character);
    else if (this.#expected === 'colon') this.#pass(character === ':', 'value');
    else if (this.#expected === 'first key' && character === '}') this.#close();
    else if (this.#expected === 'first item' && character === ']') this.#close();
    else if (this.#expected === 'key' || this.#expected === 'first key') this.#startText(character);
    else if (this.#expected === 'end') throw this.#unexpected();
    else this.#startValue(character);
  }

  #startValue(character: string): void {
    if (character === '"') this.#startText(character);
    else if (character === '{') this.#enter(this.#passes('object') ?? { members: {}, key: '' }, 'first key');
    else if (character === '[') this.#enter(this.#passes('list') ?? { items: [] }, 'first item');
    else if (character === 't' || character === 'f' || character === 'n') this.#word(words[character]);
    else this.#number();
  }

  #afterValue(character: string): void {
    const container = this.#open.at(-1);
    const isObject =
      container !== undefined && ('passed' in container ? container.passed === 'object' : 'members' in container);
    if (character === ',') this.#pass(true, isObject ? 'key' : 'value');
    else if (character === (isObject ? '}' : ']')) this.#close();
    else throw this.#unexpected();
  }

  #pass(fits: boolean, expected: Expected): void {
    if (!fits) throw this.#unexpected();
    this.#at += 1;
    this.#expected = expected;
  }

  #enter(container: Container, expected: Expected): void {
    const { levelsMax } = this.#bounds;
    if (this.#open.length > levelsMax) throw new JsonProblem(`it is nested deeper than ${levelsMax} levels`);
    this.#open.push(container);
    this.#pass(true, expected);
  }

  /** The container that begins here, if it is skipped. */
  #passes(passed: 'object' | 'list'): Container | undefined {
    const container = this.#open.at(-1);
    if (this.#isPassed(container)) return { passed, count: 0 };
    const { isPassedOver } = this.#bounds;
    return isPassedOver?.(this.#place(container, false)) === true ? { passed, count: 0 } : undefined;
  }

  #isPassed(container = this.#open.at(-1)): boolean {
    return container !== undefined && 'passed' in container;
  }

  #close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) throw this.#unexpected();
    this.#at += 1;
    if ('passed' in closed) this.#take(closed.passed === 'list' ? closed.count : null, true);
    else this.#take('members' in closed ? closed.members : closed.items);
  }

  #startText(character: string): void {
    if (character !== '"') throw this.#unexpected();
    const wholeMax = this.#isPassed() ? 'nothing' : (this.#bounds.wholeMax ?? Number.POSITIVE_INFINITY);
    this.#text = new TextReader(this.#offset + this.#at, wholeMax);
    this.#at += 1;
  }

  #readText(text: TextReader): void {
    const { at, whole } = text.read(this.#source, this.#at, this.#offset);
    this.#at = at;
    const { textCharactersMax } = this.#bounds;
    if (textCharactersMax !== undefined && text.length > textCharactersMax && !this.#isPassed())
      throw new JsonProblem(`the text at character ${text.start} is longer than ${textCharactersMax} characters`);
    if (!whole) return;
    this.#text = undefined;
    if (this.#expected === 'key' || this.#expected === 'first key') this.#takeKey(text);
    else this.#take(this.#copied(text.value()));
  }

  #takeKey(text: TextReader): void {
    const container = this.#open.at(-1);
    this.#expected = 'colon';
    if (container === undefined || 'items' in container) throw this.#unexpected();
    if ('passed' in container) return;
    const key = text.key();
    if (Object.hasOwn(container.members, key))
      throw new JsonProblem(`an object has a duplicate key at character ${text.start}`);
    container.key = this.#copied(key);
  }

  #copied<T>(text: T): T | string {
    return this.#bounds.keep !== undefined && typeof text === 'string' ? copyOf(text) : text;
  }

  #word([text, value]: readonly [string, Json]): void {
    const here = this.#source.slice(this.#at, this.#at + text.length);
    if (!this.#last && here.length < text.length && text.startsWith(here)) return;
    if (here !== text) throw this.#unexpected();
    this.#at += text.length;
    this.#take(value);
  }

  #number(): void {
    const end = this.#endOfNumber();
    if (end === this.#source.length && !this.#last) return;
    const text = this.#source.slice(this.#at, end);
    const matched = number.exec(text)?.[0].length ?? 0;
    this.#at += matched;
    if (matched === 0 || matched < text.length) throw this.#unexpected();
    this.#take(this.#isPassed() ? null : numberOf(text));
  }

  #endOfNumber(): number {
    let end = this.#at;
    const beyond = this.#at + numberCharactersMax;
    while (end <= beyond && isOfNumber(this.#source.charCodeAt(end))) end += 1;
    if (end <= beyond) return end;
    const start = this.#offset + this.#at;
    throw new JsonProblem(`the number at character ${start} is longer than ${numberCharactersMax} characters`);
  }

  /** Adds a complete value to its container. */
  #take(value: Json, isPassedOver = false): void {
    const container = this.#open.at(-1);
    this.#expected = container === undefined ? 'end' : 'rest';
    if (container === undefined) {
      this.#value = value;
      return;
    }
    if ('passed' in container) {
      container.count += 1;
      return;
    }
    this.#members += 1;
    const { membersMax } = this.#bounds;
    if (this.#members > membersMax) throw new JsonProblem(`it has more than ${membersMax} members`);
    const { keep } = this.#bounds;
    const kept = keep === undefined ? value : keep(value, this.#place(container, isPassedOver));
    if (kept === undefined) return;
    if ('items' in container) container.items.push(kept);
    else setMember(container.members, container.key, kept);
  }

  #place(container: Container | undefined, isPassedOver: boolean): JsonPlace {
    const [first] = this.#open;
    return { depth: this.#open.length, member: keyIn(first), key: keyIn(container), isPassedOver };
  }

  #unexpected(): JsonProblem {
    return invalidAt(this.#offset + this.#at);
  }
}

const keyIn = (container: Container | undefined): string =>
  container !== undefined && 'members' in container ? container.key : '';

/** Assigning this key would set the object's prototype. */
function setMember(members: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') members[key] = value;
  else Object.defineProperty(members, key, { value, configurable: true, enumerable: true, writable: true });
}

/** The characters of a number: digits, sign, point and exponent. */
const isOfNumber = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e || code === 0x2b || code === 0x65 || code === 0x45;
