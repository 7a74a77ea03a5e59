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
 * Reads HCL, version 1, or JSON: both are members with `=` or `:`, with or without commas between them. One reader for both
 * keeps their errors alike.
 *
 * @throws HclError with the position of the mistake
 */
export function parseHcl(text: string): readonly Member[] {
  if (text.length > textLengthMax)
    throw new HclError(`longer than ${textLengthMax} characters`, { line: 1, column: 1 });
  return new Parser(text).document();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = scan(text);
  }

  document(): readonly Member[] {
    const braced = this.#take('{');
    const members = this.#members(braced ? '}' : 'end');
    if (braced && !this.#take('end')) throw this.#unexpected('the end of the text');
    return members;
  }

  #members(close: '}' | 'end'): readonly Member[] {
    const members: Member[] = [];
    while (!this.#take(close)) {
      members.push(this.#member());
      this.#take(',');
    }
    return members;
  }

  #member(): Member {
    const { at } = this.#peek();
    const keys = [this.#key()];
    while (this.#peek().kind === 'string' || this.#peek().kind === 'identifier') keys.push(this.#key());
    if (this.#take('=') || this.#take(':')) return { keys, value: this.#value(), at };
    if (this.#peek().kind !== '{') throw this.#unexpected('"=" or "{"');
    return { keys, value: this.#value(), at };
  }

  #key(): string {
    const token = this.#peek();
    if (token.kind !== 'string' && token.kind !== 'identifier') throw this.#unexpected('a name');
    this.#next += 1;
    return token.text;
  }

  #value(): Node {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'string') return { kind: 'string', value: token.text, at: token.at };
    if (token.kind === 'number') return { kind: 'number', value: token.value, at: token.at };
    if (token.kind === 'identifier' && (token.text === 'true' || token.text === 'false'))
      return { kind: 'bool', value: token.text === 'true', at: token.at };
    if (token.kind === '[') return this.#nested(() => ({ kind: 'list', items: this.#items(), at: token.at }));
    if (token.kind === '{') return this.#nested(() => ({ kind: 'object', members: this.#members('}'), at: token.at }));
    this.#next -= 1;
    throw this.#unexpected('a value');
  }

  #items(): readonly Node[] {
    const items: Node[] = [];
    while (!this.#take(']')) {
      items.push(this.#value());
      if (!this.#take(',') && this.#peek().kind !== ']') throw this.#unexpected('"," or "]"');
    }
    return items;
  }

  #nested(read: () => Node): Node {
    this.#depth += 1;
    if (this.#depth > depthMax) throw this.#wrong(`nested deeper than ${depthMax} levels`);
    const node = read();
    this.#depth -= 1;
    return node;
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
