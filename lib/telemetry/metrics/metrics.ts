import type { CounterName, GaugeName, HistogramName, LabelsOf } from './instruments.ts';

/**
 * The metrics of a process. An instrument is bound to its labels once, so that the hot path pays for an addition and nothing else. No label and no value ever holds a secret value.
 */
export interface Metrics {
  counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Count;
  histogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>): Observe;
  /** Replaces all samples of a gauge. None: it is not known now, and is not shown. */
  set<Name extends GaugeName>(name: Name, samples: readonly Sample<LabelsOf<Name>>[]): void;
  /**
   * Called before each reading, to set gauges. What takes longer than a reading may is shown by a later one. One source per
   * name: the last one counts.
   */
  source(name: string, update: () => void | Promise<void>): void;
  /** Sums of a counter since the start, by its labels. */
  totals(name: CounterName): Promise<readonly Sample[]>;
  /** The text exposition format, version 0.0.4. */
  text(): Promise<Exposition>;
  /** The same as objects. */
  families(): Promise<readonly MetricFamily[]>;
}

/** Adds to a counter; 1 unless said otherwise. */
export type Count = (by?: number) => void;
/** Takes a value in the instrument's unit. */
export type Observe = (value: number) => void;

export interface Sample<Labels extends Readonly<Record<string, string>> = Readonly<Record<string, string>>> {
  readonly labels: Labels;
  readonly value: number;
}

export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly object[];
}

/** Children of an instrument by a text that names their labels, bound when first needed. The number of keys is bounded. */
export function boundOnce<Child>(bind: (key: string) => Child): (key: string) => Child {
  const bound = new Map<string, Child>();
  return (key) => {
    const known = bound.get(key);
    if (known !== undefined) return known;
    const child = bind(key);
    bound.set(key, child);
    return child;
  };
}
