import { createHash } from 'node:crypto';

/** So often a text must come before it gets a name: what is asked once or twice would only fill the server's memory. */
const repeatsMin = 4;
/** Names per process, so also prepared statements per connection. */
const namesMax = 200;
/** Texts that are being counted. */
const candidatesMax = 2_000;

/**
 * Names for the statements that come again and again. `pg` prepares a statement once per connection if it has a name, and
 * PostgreSQL then parses and plans it no more. Texts of changing length (`in (...)` lists) rarely repeat and stay nameless.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new Map<string, number>();
  readonly #forgotten = new Set<string>();

  /** The name of a statement that is hot; undefined: send it as it is. */
  nameOf(text: string): string | undefined {
    const name = this.#names.get(text);
    if (name !== undefined || this.#names.size + this.#forgotten.size >= namesMax) return name;
    if (this.#forgotten.has(text)) return undefined;
    const seen = (this.#candidates.get(text) ?? 0) + 1;
    if (seen >= repeatsMin) return this.#promote(text);
    if (this.#candidates.size >= candidatesMax) this.#candidates.clear();
    this.#candidates.set(text, seen);
    return undefined;
  }

  /** The text goes without a name from now on, as what was prepared under it is of no use. */
  forget(text: string): void {
    this.#names.delete(text);
    if (this.#forgotten.size < namesMax) this.#forgotten.add(text);
  }

  #promote(text: string): string {
    this.#candidates.delete(text);
    // Of the text, not a running number: connections that a pooler shares between processes see one name per text.
    const name = `k${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    this.#names.set(text, name);
    return name;
  }
}
