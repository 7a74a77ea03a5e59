/** What happened in one phase of a rolling upgrade. */
export interface Phase {
  readonly name: string;
  /** Answered requests, by subject. */
  readonly done: Map<string, number>;
  /** Messages of the 503s with Retry-After. */
  readonly unavailable: Map<string, number>;
  /** Connections that ended without an answer. */
  cut: number;
  /** Durations of answered requests, in milliseconds. */
  readonly tookMs: number[];
  seconds: number;
}

const violationsMax = 200;

/** Counts by phase, and violations over all phases. */
export class Tally {
  readonly phases: Phase[] = [];
  readonly violations: string[] = [];
  #began = Date.now();

  begin(name: string): void {
    this.end();
    this.phases.push({ name, done: new Map(), unavailable: new Map(), cut: 0, tookMs: [], seconds: 0 });
    this.#began = Date.now();
  }

  end(): void {
    const last = this.phases.at(-1);
    if (last !== undefined) last.seconds = (Date.now() - this.#began) / 1_000;
  }

  /** The current phase. */
  get now(): Phase {
    const last = this.phases.at(-1);
    if (last === undefined) throw new Error('no phase has begun');
    return last;
  }

  answered(what: string, ms: number): void {
    add(this.now.done, what);
    this.now.tookMs.push(ms);
  }

  unavailable(text: string): void {
    add(this.now.unavailable, text.replaceAll(/\d{2,}/g, 'N').slice(0, 120));
  }

  cut(): void {
    this.now.cut += 1;
  }

  violation(text: string): void {
    if (this.violations.length < violationsMax) this.violations.push(`${this.now.name}: ${text}`);
  }
}

const add = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

export const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
