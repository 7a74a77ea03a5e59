import { Busy } from '../refusals.ts';

/** For the first parts of all bodies together, in bytes: those of 256 large bodies, or of any number of small ones. */
const firstBytesMax = 16 * 1024 * 1024;
const retryAfterSeconds = 1;

/** A body whose first part is still on its way, from anybody. */
export interface Arriving {
  /** Gives back what it holds. */
  giveWay(): void;
}

/** What a body holds. */
export interface Held {
  /** Bytes of a first part, and of what its members cost. */
  first: number;
  /** Bytes of a large body. */
  large: number;
  /** Members of the data of a large body. */
  members: number;
}

/** The memory for the bodies of all requests of a server. */
export class BodyRoom {
  readonly #max: Pick<Held, 'large' | 'members'>;
  readonly #arriving = new Set<Arriving>();
  readonly #used: Held = { first: 0, large: 0, members: 0 };

  /** `max`: for large bodies, all together. */
  constructor(max: Pick<Held, 'large' | 'members'>) {
    this.#max = max;
  }

  /**
   * Takes room in the first part of a body that is on its way. Where none is left, others that are on their way give way, the
   * oldest first: who sends slowly cannot keep anybody out.
   *
   * @throws Busy when all of it is held by requests that are being answered
   */
  takeFirst(body: Arriving, bytes: number): void {
    this.#arriving.add(body);
    for (const oldest of this.#arriving) {
      if (this.#used.first + bytes <= firstBytesMax) break;
      if (oldest !== body) oldest.giveWay();
    }
    if (this.#used.first + bytes > firstBytesMax) throw tooMuch();
    this.#used.first += bytes;
  }

  /** The first part is there, so it need not give way any more. */
  arrived(body: Arriving): void {
    this.#arriving.delete(body);
  }

  /** Takes room for a large body. @throws Busy */
  takeLarge(what: 'large' | 'members', count: number): void {
    if (this.#used[what] + count > this.#max[what]) throw tooMuch();
    this.#used[what] += count;
  }

  give({ first, large, members }: Readonly<Held>): void {
    this.#used.first -= first;
    this.#used.large -= large;
    this.#used.members -= members;
  }
}

export const tooMuch = (): Busy =>
  new Busy('too many large requests at once: nothing was done; try again later', retryAfterSeconds);
