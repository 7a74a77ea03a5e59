/**
 * What a client may say of something that only it changes: every state that its answers allow. A change that was answered
 * takes each of them further; one without an answer leaves both, before and after. Built from answers alone, so it notices
 * a change that was acknowledged and lost.
 */
export class Possible<State> {
  /** JSON texts of states, so that equal ones are one. */
  #states: ReadonlySet<string>;
  /** False: nothing is known, because too many states became possible or somebody gave up. */
  exact = true;

  constructor(first: State) {
    this.#states = new Set([JSON.stringify(first)]);
  }

  /** @param sure whether the change was answered */
  change(make: (state: State) => State, sure: boolean): void {
    const after = [...this.#states].map((state) => JSON.stringify(make(JSON.parse(state))));
    this.#keep(sure ? after : [...this.#states, ...after]);
  }

  /** Leaves what agrees with an answer; false: nothing does. */
  agree(holds: (state: State) => boolean): boolean {
    if (!this.exact) return true;
    const left = [...this.#states].filter((state) => holds(JSON.parse(state)));
    if (left.length > 0) this.#keep(left);
    return left.length > 0;
  }

  /** It is known again. */
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
