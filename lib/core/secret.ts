import { inspect } from 'node:util';

const shown = '[secret]';

/**
 * Holds a value that must not be printed. `String()`, `JSON.stringify`, `util.inspect` and template strings all show `[secret]`;
 * only `reveal()` returns the value, so all code that reads it can be found by that name.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Length of the value in UTF-8 bytes; safe to show. */
  get bytes(): number {
    return Buffer.byteLength(this.#value);
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
