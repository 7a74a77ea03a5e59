/** Something that is under way, and its place among the others. */
export interface Place<Value> {
  readonly value: Value;
  previous: Place<Value> | undefined;
  next: Place<Value> | undefined;
}

/**
 * What is under way, in the order in which it began.
 *
 * A `Set` of what comes and goes all the time makes a new table for every few of them, and each old table names the next one
 * and what was in it then. Once one of them counts as old, the collector of young objects keeps all that followed: every request,
 * until the next full collection. Here nothing that has ended names anything.
 */
export class UnderWay<Value> implements Iterable<Value> {
  #first: Place<Value> | undefined;
  #last: Place<Value> | undefined;

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  begin(value: Value): Place<Value> {
    const place: Place<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    return place;
  }

  /** Ending twice changes nothing. */
  end(place: Place<Value>): void {
    const { previous, next } = place;
    if (previous === undefined && this.#first !== place) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    place.previous = undefined;
    place.next = undefined;
  }

  /** The oldest first. The one that is shown may end meanwhile. */
  *[Symbol.iterator](): IterableIterator<Value> {
    let place = this.#first;
    while (place !== undefined) {
      const { value, next } = place;
      yield value;
      place = next;
    }
  }
}
