import type { Job } from '../api/job.ts';
import { Refused } from '../api/send.ts';

/** Interval at which the lease is extended and a cancel is noticed, in milliseconds. */
const extendMs = 3_000;
/** How often a lease is extended for the first time before its job is given up. */
const firstAttemptsMax = 5;
/** What an engine that is about to lose its lease has to write its state, in milliseconds. */
const lostGraceMsMax = 10_000;
/** How long before its end the lease counts as ended: the service may give the workspace to another run then, so nothing may work any longer. */
const marginMs = 1_000;

interface Held {
  readonly leaseMs: number;
  readonly graceMs: number;
  /** Called after each extension. */
  readonly extended: () => Promise<void>;
}

/**
 * Extends the lease of a job until it is closed. `signal` interrupts the engine: with `canceled`, or with `lost` so early that the grace of the engine
 * is over before the lease. `over` aborts when the lease ends. Until then an extension that succeeds holds it again, so that the job can still be
 * reported.
 */
export class Lease {
  readonly #job: Job;
  readonly #held: Held;
  readonly #interruption = new AbortController();
  readonly #over = new AbortController();
  #next: NodeJS.Timeout | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isClosed = false;

  private constructor(job: Job, held: Held) {
    this.#job = job;
    this.#held = held;
  }

  /** Extends the lease for the first time, since it is unknown how long ago it began. @throws Refused when it has ended */
  static async of(job: Job, held: Held): Promise<Lease> {
    const lease = new Lease(job, held);
    await lease.#extend(firstAttemptsMax);
    lease.#again();
    return lease;
  }

  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get isLost(): boolean {
    return this.over.aborted;
  }

  /** Interrupts the engine, as for a cancel. */
  cancel(): void {
    this.#interruption.abort('canceled');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#next);
    this.#clear();
  }

  #again(): void {
    this.#next = setTimeout(() => {
      void this.#extend()
        .catch((error: unknown) => {
          if (error instanceof Refused && error.isOver) this.#endsAt(0);
        })
        .finally(() => {
          if (!this.#isClosed && !this.isLost) this.#again();
        });
    }, extendMs);
  }

  async #extend(attemptsMax?: number): Promise<void> {
    const begun = performance.now();
    const isCanceled = await this.#job.extend(attemptsMax);
    if (this.#isClosed || this.isLost) return;
    if (isCanceled) this.cancel();
    this.#endsAt(begun + this.#held.leaseMs - marginMs);
    await this.#held.extended();
  }

  /** The engine is interrupted at once when the lease has ended already, by force for example, and killed after the shorter grace. */
  #endsAt(at: number): void {
    this.#clear();
    const graceMs = Math.min(this.#held.graceMs, lostGraceMsMax, this.#held.leaseMs / 2);
    const leftMs = Math.max(0, at - performance.now());
    const interruptMs = Math.max(0, leftMs - graceMs);
    this.#timers = [
      setTimeout(() => this.#interruption.abort('lost'), interruptMs),
      setTimeout(() => this.#over.abort('lost'), Math.max(leftMs, at === 0 ? graceMs : 0)),
    ];
  }

  #clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
