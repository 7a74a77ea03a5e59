import { BlockedConnection } from '#network/blocked.ts';
import { errorChain } from '#network/error-chain.ts';

/** Lines of one command. */
const linesMax = 20;

/** The addresses that the guard refused to a command, one line each. */
export class Refusals {
  readonly #lines = new Map<string, string>();
  #more = 0;

  add(error: unknown): void {
    const blocked = errorChain(error).find((link) => link instanceof BlockedConnection);
    if (blocked === undefined) return;
    const { host, address } = blocked.target;
    const key = address ?? host;
    if (this.#lines.has(key)) return;
    if (this.#lines.size >= linesMax) this.#more += 1;
    else this.#lines.set(key, printable(blocked.message));
  }

  get lines(): readonly string[] {
    const more = this.#more === 0 ? [] : [`strict networking blocked ${this.#more} more connections`];
    return [...this.#lines.values(), ...more];
  }
}

/** The run chose the name in it. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 1_000);
