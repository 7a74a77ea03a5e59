import { atOnce, type Steps } from '#core/concurrency/yielding.ts';
import { HclError, positionAt } from './error.ts';
import { scan, type Token } from './tokens.ts';

/** A value with its offset in the text. */
export type Node =
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'bool'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Node[]; readonly at: number }
  | { readonly kind: 'object'; readonly members: readonly Member[]; readonly at: number };

/** `key = value`, `key "label" { … }`, or `"key": value`. The labels of a block are keys after the first. */
export interface Member {
  readonly keys: readonly string[];
  readonly value: Node;
  readonly at: number;
}

export const textLengthMax = 1_048_576;
const depthMax = 16;

/**
 * Parses HCL 1 or JSON: both consist of members with `=` or `:`, with or without commas. One parser for both gives the same errors.
 *
 * @throws HclError with the position of the problem
 */
export const parseHcl = (text: string): readonly Member[] => atOnce(parsingHcl(text));

/** Parses in steps, since a text of a megabyte takes long. */
export function* parsingHcl(text: string): Steps<readonly Member[]> {
  if (text.length > textLengthMax)
    throw new HclError(`longer than ${textLengthMax} characters`, { line: 1, column: 1 });
  return yield* new Parser(text, yield* scan(text)).document();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  *document(): Steps<readonly Member[]> {
    const braced = this.#take('{');
    const members = yield* this.#members(braced ? '}' : 'end');
    if (braced && !this.#take('end')) throw this.#unexpected('the end of the text');
    return members;
  }

  *#members(close: '}' | 'end'): Steps<readonly Member[]> {
    const members: Member[] = [];
    while (!this.#take(close)) {
      members.push(yield* this.#member());
      this.#take(',');
      yield;
    }
    return members;
  }

  *#member(): Steps<Member> {
    const { at } = this.#peek();
    const keys = [this.#key()];
    while (this.#peek().kind === 'string' || this.#peek().kind === 'identifier') keys.push(this.#key());
    if (this.#take('=') || this.#take(':')) return { keys, value: yield* this.#value(), at };
    if (this.#peek().kind !== '{') throw this.#unexpected('"=" or "{"');
    return { keys, value: yield* this.#value(), at };
  }

  #key(): string {
    const token = this.#peek();
    if (token.kind !== 'string' && token.kind !== 'identifier') throw this.#unexpected('a name');
    this.#next += 1;
    return token.text;
  }

  *#value(): Steps<Node> {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'string') return { kind: 'string', value: token.text, at: token.at };
    if (token.kind === 'number') return { kind: 'number', value: token.value, at: token.at };
    if (token.kind === 'identifier' && (token.text === 'true' || token.text === 'false'))
      return { kind: 'bool', value: token.text === 'true', at: token.at };
    if (token.kind === '[') return { kind: 'list', items: yield* this.#nested(this.#items()), at: token.at };
    if (token.kind === '{') return { kind: 'object', members: yield* this.#nested(this.#members('}')), at: token.at };
    this.#next -= 1;
    throw this.#unexpected('a value');
  }

  *#items(): Steps<readonly Node[]> {
    const items: Node[] = [];
    while (!this.#take(']')) {
      items.push(yield* this.#value());
      if (!this.#take(',') && this.#peek().kind !== ']') throw this.#unexpected('"," or "]"');
    }
    return items;
  }

  *#nested<T>(inner: Steps<T>): Steps<T> {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#wrong(`nested deeper than ${depthMax} levels`);
    const read = yield* inner;
    this.#depth -= 1;
    return read;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', at: this.#text.length };
  }

  #take(kind: Token['kind']): boolean {
    if (this.#peek().kind !== kind) return false;
    this.#next += 1;
    return true;
  }

  #unexpected(wanted: string): HclError {
    const { kind } = this.#peek();
    return this.#wrong(`expected ${wanted}, found ${kind === 'end' ? 'the end of the text' : nameOf(this.#peek())}`);
  }

  #wrong(problem: string): HclError {
    return new HclError(problem, positionAt(this.#text, this.#peek().at));
  }
}

function nameOf(token: Token): string {
  if (token.kind === 'string' || token.kind === 'identifier') return JSON.stringify(token.text.slice(0, 64));
  return token.kind === 'number' ? String(token.value) : `"${token.kind}"`;
}
