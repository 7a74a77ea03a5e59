/** How long a worker puts jobs of a destination aside before it asks the store again whether the destination is still paused. */
export const trustMs = 500;
/** Jobs come back at these intervals: rarely enough that a worker function with nothing else to do ends meanwhile. */
export const slotMs = 10_000;
/** Jobs that come back at one time, until the slots of the longest delay are used up. */
const perSlot = 500;
/** The longest delay of a job. The sweep brings the jobs of a resumed destination forward. */
export const asideMsMax = 600_000;

/** Destinations in memory at most; an entry only saves questions to the store. */
const destinationsMax = 10_000;

interface Paused {
  readonly trustedTill: number;
  /** When the pause ends by itself, by the clock of this process. */
  readonly endsAt: number;
}

/**
 * The paused destinations that a worker has met. Their jobs are put aside without a question to Redis or PostgreSQL, and come back a
 * few at a time, so that any number of them leaves the worker to the other destinations.
 */
export class PausedDestinations {
  readonly #known = new Map<string, Paused>();
  readonly #placed = new Map<string, { slot: number; count: number }>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long to put a job of this destination aside; undefined when the store has to be asked. */
  asideMs(destinationId: string): number | undefined {
    const known = this.#known.get(destinationId);
    const now = this.#now();
    if (known === undefined || known.trustedTill <= now || known.trustedTill > now + trustMs) return undefined;
    return this.#place(destinationId, known.endsAt);
  }

  /** Notes that the destination is paused, and says how long to put the job aside. */
  found(destinationId: string, leftMs: number | null): number {
    if (this.#known.size >= destinationsMax) {
      this.#known.clear();
      this.#placed.clear();
    }
    const now = this.#now();
    const endsAt = leftMs === null ? Number.POSITIVE_INFINITY : now + leftMs;
    this.#known.set(destinationId, { trustedTill: Math.min(now + trustMs, endsAt), endsAt });
    return this.#place(destinationId, endsAt);
  }

  #place(destinationId: string, endsAt: number): number {
    const now = this.#now();
    const first = Math.floor(now / slotMs) + 1;
    const before = this.#placed.get(destinationId) ?? { slot: first, count: 0 };
    const isFull = before.count >= perSlot;
    const slot = Math.max(first, isFull ? before.slot + 1 : before.slot);
    const place = slot - first >= asideMsMax / slotMs ? first : slot;
    this.#placed.set(destinationId, { slot: place, count: place === before.slot && !isFull ? before.count + 1 : 1 });
    return Math.max(1, Math.min(place * slotMs - now, endsAt - now));
  }
}
