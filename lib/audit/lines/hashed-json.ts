import type { Eventual } from '#core/concurrency/eventual.ts';
import { inSlices } from '#core/concurrency/yielding.ts';
import { isRawNumber } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import { WrittenJson } from '#core/json/write.ts';
import type { Hasher } from './hash.ts';
import { Unescape } from './unescape.ts';

/** How the texts in data are written. */
export interface Writing {
  /** Undefined to write texts unchanged. */
  readonly hasher: Hasher | undefined;
  /** Members of the data whose values are written unchanged. */
  readonly clear: readonly string[];
  /** Returns the value of JSON that is already serialised. */
  readonly read: (written: WrittenJson) => unknown;
}

/** Limits for writing without a pause: characters, and members or pieces of long texts. */
export const charactersAtOnce = 16_384;
const stepsAtOnce = 512;

/** The JSON text of data with all texts in it replaced, but not its keys, numbers and booleans. Yields while writing large data. */
export function hashedJson(data: object, writing: Writing): Eventual<string> {
  const writer = new HashedWriter(data, writing);
  for (let steps = 0; steps < stepsAtOnce && writer.text.length < charactersAtOnce; steps += 1)
    if (writer.step()) return writer.text;
  return inSlices(() => writer.step()).then(() => writer.text);
}

interface Open {
  readonly value: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly clear: boolean;
  next: number;
  /** Whether the next member needs a comma. */
  filled: boolean;
}

/** Writes a value, one short step at a time, whatever its depth. */
class HashedWriter {
  text = '';
  readonly #writing: Writing;
  readonly #open: Open[] = [];
  #long: (() => boolean) | undefined;

  constructor(data: object, writing: Writing) {
    this.#writing = writing;
    this.#value(data, writing.hasher === undefined);
  }

  /** Returns true when everything is written. */
  step(): boolean {
    if (this.#long !== undefined) {
      if (this.#long()) this.#long = undefined;
      return false;
    }
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return true;
    if (innermost.next < innermost.length) this.#member(innermost);
    else {
      this.#open.pop();
      this.text += innermost.keys === undefined ? ']' : '}';
    }
    return false;
  }

  #member(open: Open): void {
    const { keys, value } = open;
    const at = open.next;
    open.next += 1;
    const key = keys?.[at];
    const member = key === undefined ? Reflect.get(value, at) : Reflect.get(value, key);
    if (key !== undefined && member === undefined) return;
    if (open.filled) this.text += ',';
    open.filled = true;
    if (key !== undefined) this.text += `${JSON.stringify(key)}:`;
    const named = key !== undefined && this.#open.length === 1 && this.#writing.clear.includes(key);
    this.#value(member ?? null, open.clear || named);
  }

  #value(value: unknown, clear: boolean): void {
    const { hasher, read } = this.#writing;
    if (typeof value === 'string') this.text += clear ? JSON.stringify(value) : `"${hasher?.text(value)}"`;
    else if (typeof value !== 'object' || value === null || isRawNumber(value)) this.text += JSON.stringify(value);
    else if (value instanceof LongText) this.#longText(value, clear);
    else if (value instanceof WrittenJson) this.#value(read(value), clear);
    else if (Array.isArray(value)) this.#begin(value, undefined, clear);
    else if ('toJSON' in value && typeof value.toJSON === 'function') this.#value(value.toJSON(), clear);
    else this.#begin(value as Readonly<Record<string, unknown>>, Object.keys(value), clear);
  }

  #begin(value: Open['value'], keys: readonly string[] | undefined, clear: boolean): void {
    this.text += keys === undefined ? '[' : '{';
    const length = keys?.length ?? (Array.isArray(value) ? value.length : 0);
    this.#open.push({ value, keys, length, clear, next: 0, filled: false });
  }

  #longText({ pieces }: LongText, clear: boolean): void {
    let at = 0;
    const next = () => pieces[at++];
    if (clear || this.#writing.hasher === undefined) {
      this.text += `"${Buffer.concat(pieces).toString()}"`;
      return;
    }
    const hash = this.#writing.hasher.pieces();
    const plain = new Unescape();
    this.#long = () => {
      const piece = next();
      if (piece !== undefined) hash.update(plain.push(piece));
      else this.text += `"${hash.end()}"`;
      return piece === undefined;
    };
  }
}
