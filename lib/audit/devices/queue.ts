import { NotRecorded, type Outlet } from './outlet.ts';

/** Characters of a batch, and of all lines that wait; a longer line goes alone. */
const batchCharactersMax = 1_048_576;
const queueCharactersMax = 33_554_432;
const gatheringTurns = 4;

/** What a queue holds. */
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
 * The lines of a device on their way, in order. Those that come while others are being written go together. A line that is not
 * written in time is refused, and so is one that does not fit.
 */
export class LineQueue {
  readonly #outlet: Outlet;
  readonly #limitMs: number;
  readonly #charactersMax: number;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #underWay: readonly Waiting[] = [];
  #closed = false;

  /** `charactersMax`: of all lines that wait or are being written; a line that is alone may be longer. */
  constructor(outlet: Outlet, limitMs: number, charactersMax = queueCharactersMax) {
    this.#outlet = outlet;
    this.#charactersMax = charactersMax;
    this.#limitMs = limitMs;
  }

  /** @throws NotRecorded, and what the outlet throws */
  add(line: string): Promise<void> {
    if (this.#closed) return Promise.reject(new NotRecorded('it is not enabled any more'));
    if (this.#characters > 0 && this.#characters + line.length > this.#charactersMax)
      return Promise.reject(new NotRecorded('too many lines wait'));
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
    return { lines: this.#waiting.length + this.#underWay.length, characters: this.#characters };
  }

  reopen(): void {
    this.#outlet.reopen?.();
  }

  /** What waits is written first, within the time for it. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#writing !== undefined) await Promise.race([this.#writing, this.#idle()]);
    clearTimeout(this.#timer);
    await Promise.race([this.#outlet.close(), this.#idle()]);
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#limitMs).unref());
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Some turns of the event loop gather what comes together: handing over to another thread costs more than they do.
      for (let turn = 0; turn < gatheringTurns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#nextBatch();
      this.#underWay = batch;
      try {
        await this.#outlet.write(
          batch.map(({ line }) => line),
          this.#limitMs,
        );
        for (const one of batch) one.resolve();
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
      this.#underWay = [];
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

  /** Lines that are being written are refused too: whether they arrive, nobody knows. Those that wait are not written any more. */
  #expire(): void {
    const now = performance.now();
    const late = new NotRecorded(`it took longer than ${this.#limitMs} ms`);
    for (const one of this.#underWay) if (one.due <= now) one.reject(late);
    while ((this.#waiting[0]?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const one = this.#waiting.shift();
      this.#characters -= one?.line.length ?? 0;
      one?.reject(late);
    }
    const next = this.#underWay.find(({ due }) => due > now)?.due ?? this.#waiting[0]?.due;
    this.#timer = next === undefined ? undefined : setTimeout(() => this.#expire(), Math.max(1, next - now));
  }
}
