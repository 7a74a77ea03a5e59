import { createHash } from 'node:crypto';

/** A text gets a name when it occurs this often: rare statements would only fill the server's memory. */
const repeatsMin = 4;
/** Limit of names per process, and so of prepared statements per connection. */
const namesMax = 200;
/** Limit of texts whose occurrences are counted. */
const candidatesMax = 2_000;

/**
 * Names for frequent statements. `pg` prepares a named statement once per connection, so PostgreSQL need not parse and plan it
 * again. Texts of varying length (`in (...)` lists) rarely repeat and stay unnamed.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #candidates = new Map<string, number>();
  readonly #forgotten = new Set<string>();

  /** The name of a frequent statement; undefined when it should be sent without a name. */
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

  /** The text is sent without a name from now on, because its prepared statement is unusable. */
  forget(text: string): void {
    this.#names.delete(text);
    if (this.#forgotten.size < namesMax) this.#forgotten.add(text);
  }

  #promote(text: string): string {
    this.#candidates.delete(text);
    // A hash of the text, not a counter: connections that a pooler shares between processes then see one name per text.
    const name = `k${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    this.#names.set(text, name);
    return name;
  }
}
