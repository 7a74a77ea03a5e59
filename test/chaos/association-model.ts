/**
 * Which associations have to be there. Acknowledged answers of `set` and `remove` say so; a purge makes everything at its
 * destination uncertain until the next acknowledged answer after it.
 */
export type Expected = 'present' | 'absent' | 'maybe';

export class AssociationModel {
  readonly #associations = new Map<string, Expected>();
  /** Destinations under purge, and how many purges there have been. */
  readonly #purging = new Set<string>();
  readonly #purges = new Map<string, number>();

  /** Call it before a request goes out; the answer is handed to `settle`. */
  begin(destination: string): () => boolean {
    const before = this.#purges.get(destination) ?? 0;
    const calm = () => !this.#purging.has(destination) && (this.#purges.get(destination) ?? 0) === before;
    const wasCalm = calm();
    return () => wasCalm && calm();
  }

  settle(destination: string, secret: string, expected: Expected): void {
    this.#associations.set(keyOf(destination, secret), expected);
  }

  purgeBegins(destination: string): void {
    this.#purging.add(destination);
    this.#purges.set(destination, (this.#purges.get(destination) ?? 0) + 1);
    for (const key of this.#associations.keys())
      if (key.startsWith(`${destination} `)) this.#associations.set(key, 'maybe');
  }

  purgeIsOver(destination: string): void {
    this.#purging.delete(destination);
  }

  expected(destination: string, secret: string): Expected {
    return this.#associations.get(keyOf(destination, secret)) ?? 'absent';
  }

  entries(): Iterable<readonly [key: string, expected: Expected]> {
    return this.#associations;
  }
}

/** `type/name secret` */
export const keyOf = (destination: string, secret: string): string => `${destination} ${secret}`;
