import { type Entry, LinkedSet } from '#core/concurrency/linked-set.ts';
import { Busy } from '../refusals.ts';

/** Memory for the first parts of all bodies together, in bytes: enough for those of 256 large bodies. */
const firstBytesMax = 16 * 1024 * 1024;
const retryAfterSeconds = 1;

/** A body whose first part is arriving. Its sender is not authenticated yet. */
export interface Arriving {
  /** Its entry among the arriving bodies; undefined when it is not arriving. */
  entry: Entry<Arriving> | undefined;
  /** Stops receiving and releases its memory. */
  giveWay(): void;
}

/** The memory that a body holds. */
export interface Held {
  /** Bytes of a first part, and the cost of its members. */
  first: number;
  /** Bytes of a large body, and of a long secret that its request reads from the store. */
  large: number;
  /** Members of the data of a large body. */
  members: number;
}

/**
 * The memory for the bodies of all requests of a server, and for the long secrets that they read from the store.
 *
 * One request at a time may exceed the limit, with a stored secret: encryption adds to its size, and a patch holds its body at the
 * same time. That request needs no more memory, so it always completes. A refused request was refused because of others and
 * succeeds once they have finished: of two patches whose secrets do not both fit beside their bodies, the first one continues and
 * the second one is refused. The total is bounded by this limit plus one stored secret.
 */
export class BodyMemory {
  readonly #max: Pick<Held, 'large' | 'members'>;
  #beyond: object | undefined;
  readonly #arriving = new LinkedSet<Arriving>();
  readonly #used: Held = { first: 0, large: 0, members: 0 };

  /** `max`: limits for all large bodies together. */
  constructor(max: Pick<Held, 'large' | 'members'>) {
    this.#max = max;
  }

  /**
   * Reserves bytes for the first part of an arriving body. If none are left, the oldest arriving bodies are dropped, so that slow
   * senders cannot block others.
   *
   * @throws Busy when requests that are being answered hold all the memory
   */
  takeFirst(body: Arriving, bytes: number): void {
    body.entry ??= this.#arriving.add(body);
    for (const oldest of this.#arriving) {
      if (this.#used.first + bytes <= firstBytesMax) break;
      if (oldest !== body) oldest.giveWay();
    }
    if (this.#used.first + bytes > firstBytesMax) throw tooMuch();
    this.#used.first += bytes;
  }

  /** Marks the first part as received; the body is no longer dropped for others. */
  arrived(body: Arriving): void {
    if (body.entry !== undefined) this.#arriving.delete(body.entry);
    body.entry = undefined;
  }

  /** Reserves memory for a large body. @throws Busy */
  takeLarge(what: 'large' | 'members', count: number): void {
    if (this.#used[what] + count > this.#max[what]) throw tooMuch();
    this.#used[what] += count;
  }

  /** Reserves memory for a stored secret that `holder` reads. @throws Busy when another request already exceeds the limit */
  takeStored(holder: object, bytes: number): void {
    if (this.#used.large + bytes > this.#max.large) {
      if ((this.#beyond ?? holder) !== holder) throw tooMuch();
      this.#beyond = holder;
    }
    this.#used.large += bytes;
  }

  /** Releases all memory of `holder`. */
  give(holder: object, { first, large, members }: Readonly<Held>): void {
    if (this.#beyond === holder) this.#beyond = undefined;
    this.#used.first -= first;
    this.#used.large -= large;
    this.#used.members -= members;
  }
}

export const tooMuch = (): Busy =>
  new Busy('too many large requests at once: nothing was done; try again later', retryAfterSeconds);
