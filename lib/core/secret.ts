import { inspect } from 'node:util';

const shown = '[secret]';

/**
 * Holds a value that must not be printed. `String()`, `JSON.stringify`, `util.inspect` and template strings all show
 * `[secret]`; the value comes out of `reveal()` alone, so all code that takes it out can be found by name.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Length of the value in bytes of UTF-8; safe to show. */
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
