import { type Place, UnderWay } from '../../../core/concurrency/under-way.ts';
import { Busy } from '../refusals.ts';

/** For the first parts of all bodies together, in bytes: those of 256 large bodies, or of any number of small ones. */
const firstBytesMax = 16 * 1024 * 1024;
const retryAfterSeconds = 1;

/** A body whose first part is still on its way, from anybody. */
export interface Arriving {
  /** Among those that are on their way; undefined: it is not on its way. */
  place: Place<Arriving> | undefined;
  /** Gives back what it holds. */
  giveWay(): void;
}

/** What a body holds. */
export interface Held {
  /** Bytes of a first part, and of what its members cost. */
  first: number;
  /** Bytes of a large body, and of a long secret that was read from the store for it. */
  large: number;
  /** Members of the data of a large body. */
  members: number;
}

/**
 * The memory for the bodies of all requests of a server, and for the long secrets that they read from the store.
 *
 * One request at a time may go beyond it, with what is stored: a stored secret may be larger than this memory by what sealing
 * adds, and a patch holds its body beside it. It asks for nothing more then, so it comes to its end; whoever is refused is
 * refused because of others, and is served when they have gone. So of two patches that hold their bodies and could not both
 * have their secrets, the first goes on and the other is refused. The memory is bounded by this limit and one stored secret.
 */
export class BodyMemory {
  readonly #max: Pick<Held, 'large' | 'members'>;
  #beyond: object | undefined;
  readonly #arriving = new UnderWay<Arriving>();
  readonly #used: Held = { first: 0, large: 0, members: 0 };

  /** `max`: for large bodies, all together. */
  constructor(max: Pick<Held, 'large' | 'members'>) {
    this.#max = max;
  }

  /**
   * Reserves bytes for the first part of a body that is on its way. Where none is left, others that are on their way give way, the
   * oldest first: who sends slowly cannot keep anybody out.
   *
   * @throws Busy when all of it is held by requests that are being answered
   */
  takeFirst(body: Arriving, bytes: number): void {
    body.place ??= this.#arriving.begin(body);
    for (const oldest of this.#arriving) {
      if (this.#used.first + bytes <= firstBytesMax) break;
      if (oldest !== body) oldest.giveWay();
    }
    if (this.#used.first + bytes > firstBytesMax) throw tooMuch();
    this.#used.first += bytes;
  }

  /** The first part is there, so it need not give way any more. */
  arrived(body: Arriving): void {
    if (body.place !== undefined) this.#arriving.end(body.place);
    body.place = undefined;
  }

  /** Reserves memory for a large body. @throws Busy */
  takeLarge(what: 'large' | 'members', count: number): void {
    if (this.#used[what] + count > this.#max[what]) throw tooMuch();
    this.#used[what] += count;
  }

  /** Reserves memory for a stored secret, which `holder` reads. @throws Busy when another one is beyond the limit */
  takeStored(holder: object, bytes: number): void {
    if (this.#used.large + bytes > this.#max.large) {
      if ((this.#beyond ?? holder) !== holder) throw tooMuch();
      this.#beyond = holder;
    }
    this.#used.large += bytes;
  }

  /** Takes back all that `holder` holds. */
  give(holder: object, { first, large, members }: Readonly<Held>): void {
    if (this.#beyond === holder) this.#beyond = undefined;
    this.#used.first -= first;
    this.#used.large -= large;
    this.#used.members -= members;
  }
}

export const tooMuch = (): Busy =>
  new Busy('too many large requests at once: nothing was done; try again later', retryAfterSeconds);
