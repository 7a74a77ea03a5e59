/**
 * Every state that a client's answers allow for a resource that only this client changes. An answered change advances each state. A
 * change without an answer keeps both, the state before and the one after. Only answers count, so a change that was acknowledged and
 * lost is noticed.
 */
export class Possible<State> {
  /** The states as JSON texts, so that equal states count once. */
  #states: ReadonlySet<string>;
  /** False when nothing is known, because too many states became possible or a client gave up. */
  exact = true;

  constructor(first: State) {
    this.#states = new Set([JSON.stringify(first)]);
  }

  /** @param sure whether the change was answered */
  change(make: (state: State) => State, sure: boolean): void {
    const after = [...this.#states].map((state) => JSON.stringify(make(JSON.parse(state))));
    this.#keep(sure ? after : [...this.#states, ...after]);
  }

  /** Keeps the states that agree with an answer. False when none does. */
  agree(holds: (state: State) => boolean): boolean {
    if (!this.exact) return true;
    const left = [...this.#states].filter((state) => holds(JSON.parse(state)));
    if (left.length > 0) this.#keep(left);
    return left.length > 0;
  }

  /** Sets the one state that is possible. */
  restart(state: State): void {
    this.exact = true;
    this.#states = new Set([JSON.stringify(state)]);
  }

  giveUp(): void {
    this.exact = false;
    this.#states = new Set();
  }

  /** For the report of a disagreement. */
  shown(): string {
    return [...this.#states].slice(0, 4).join(' or ');
  }

  #keep(states: readonly string[]): void {
    this.#states = new Set(states);
    if (this.#states.size > statesMax) this.giveUp();
  }
}

const statesMax = 512;
