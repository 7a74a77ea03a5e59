/**
 * The associations that must exist, according to acknowledged `set` and `remove` requests. A purge makes all associations of its
 * destination uncertain until the next acknowledged request.
 */
export type Expected = 'present' | 'absent' | 'maybe';

export class AssociationModel {
  readonly #associations = new Map<string, Expected>();
  /** Destinations that are being purged, and the number of purges so far. */
  readonly #purging = new Set<string>();
  readonly #purges = new Map<string, number>();

  /** Called before a request is sent; its answer is passed to `settle`. */
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
