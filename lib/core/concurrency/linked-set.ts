/** An entry with its neighbours in the list. */
export interface Entry<Value> {
  readonly value: Value;
  previous: Entry<Value> | undefined;
  next: Entry<Value> | undefined;
}

/**
 * A set of values, such as the work in progress, in the order in which they were added.
 *
 * A `Set` with a high turnover allocates a new table for every few entries, and each old table refers to the next one and to its
 * former entries. Once one of these tables is promoted to the old generation, minor collections keep everything after it alive:
 * every request, until the next full collection. In this list a deleted entry refers to nothing.
 */
export class LinkedSet<Value> implements Iterable<Value> {
  #first: Entry<Value> | undefined;
  #last: Entry<Value> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  add(value: Value): Entry<Value> {
    const entry: Entry<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = entry;
    else this.#last.next = entry;
    this.#last = entry;
    return entry;
  }

  /** Deleting an entry twice has no effect. */
  delete(entry: Entry<Value>): void {
    const { previous, next } = entry;
    if (previous === undefined && this.#first !== entry) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    entry.previous = undefined;
    entry.next = undefined;
  }

  /** Oldest first. The current entry may be deleted during the iteration. */
  *[Symbol.iterator](): IterableIterator<Value> {
    let entry = this.#first;
    while (entry !== undefined) {
      const { value, next } = entry;
      yield value;
      entry = next;
    }
  }
}
