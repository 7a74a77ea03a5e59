import { NotRecorded, type Outlet } from './outlet.ts';

/** Limits for a batch and for all waiting lines, in characters. A longer line is written alone. */
const batchCharactersMax = 1_048_576;
const queueCharactersMax = 33_554_432;
const gatheringTurns = 4;

/** The content of a queue. */
export interface QueueLoad {
  readonly lines: number;
  readonly characters: number;
}

interface Waiting {
  readonly line: string;
  readonly due: number;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The unwritten lines of a device, in order. Lines that arrive during a write are written together in the next one. A line is
 * refused if it is not written in time or does not fit.
 */
export class LineQueue {
  readonly #outlet: Outlet;
  readonly #limitMs: number;
  readonly #charactersMax: number;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #inFlight: readonly Waiting[] = [];
  #closed = false;

  /** `charactersMax`: limit for all lines that wait or are being written. A single line may be longer. */
  constructor(outlet: Outlet, limitMs: number, charactersMax = queueCharactersMax) {
    this.#outlet = outlet;
    this.#charactersMax = charactersMax;
    this.#limitMs = limitMs;
  }

  /** @throws NotRecorded, and what the outlet throws */
  add(line: string): Promise<void> {
    if (this.#closed) return Promise.reject(new NotRecorded('it is no longer enabled'));
    if (this.#characters > 0 && this.#characters + line.length > this.#charactersMax)
      return Promise.reject(new NotRecorded('too many lines are waiting'));
    this.#characters += line.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, due: performance.now() + this.#limitMs, resolve, reject });
      this.#writing ??= this.#writeAll();
      this.#timer ??= setTimeout(() => this.#expire(), this.#limitMs);
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Lines that wait or are being written, and their characters. */
  get load(): QueueLoad {
    return { lines: this.#waiting.length + this.#inFlight.length, characters: this.#characters };
  }

  reopen(): void {
    this.#outlet.reopen?.();
  }

  /** Writes the waiting lines first, within their time limit. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#writing !== undefined) await Promise.race([this.#writing, this.#limit()]);
    clearTimeout(this.#timer);
    await Promise.race([this.#outlet.close(), this.#limit()]);
  }

  #limit(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#limitMs).unref());
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Waiting a few turns of the event loop gathers simultaneous lines and costs less than handing each to another thread.
      for (let turn = 0; turn < gatheringTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#nextBatch();
      this.#inFlight = batch;
      try {
        await this.#outlet.write(
          batch.map(({ line }) => line),
          this.#limitMs,
        );
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      this.#inFlight = [];
      for (const { line } of batch) this.#characters -= line.length;
    }
    this.#writing = undefined;
  }

  #nextBatch(): readonly Waiting[] {
    let characters = 0;
    const beyond = this.#waiting.findIndex(({ line }, index) => {
      characters += line.length;
      return index > 0 && (this.#outlet.single === true || characters > batchCharactersMax);
    });
    return this.#waiting.splice(0, beyond < 0 ? this.#waiting.length : beyond);
  }

  /** Refuses late lines. Waiting lines are then not written; for lines in a write it is unknown whether they arrive. */
  #expire(): void {
    const now = performance.now();
    const late = new NotRecorded(`it took longer than ${this.#limitMs} ms`);
    for (const one of this.#inFlight) if (one.due <= now) one.reject(late);
    while ((this.#waiting[0]?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const one = this.#waiting.shift();
      this.#characters -= one?.line.length ?? 0;
      one?.reject(late);
    }
    const next = this.#inFlight.find(({ due }) => due > now)?.due ?? this.#waiting[0]?.due;
    this.#timer = next === undefined ? undefined : setTimeout(() => this.#expire(), Math.max(1, next - now));
  }
}
