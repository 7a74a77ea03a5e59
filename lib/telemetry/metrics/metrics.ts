import type { CounterName, GaugeName, HistogramName, LabelsOf } from './instruments.ts';

/**
 * The metrics of a process. An instrument is bound to its labels once, so that the hot path only pays for an addition. No label and no value
 * ever contains a secret.
 */
export interface Metrics {
  counter<Name extends CounterName>(name: Name, labels: LabelsOf<Name>): Count;
  histogram<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>): Observe;
  /** Replaces all samples of a gauge. Without samples, the gauge is not exported. */
  set<Name extends GaugeName>(name: Name, samples: readonly Sample<LabelsOf<Name>>[]): void;
  /**
   * Registers a function that sets gauges before each scrape. If it takes longer than the limit, its values appear in a later scrape. A source
   * replaces an earlier one of the same name.
   */
  source(name: string, update: () => void | Promise<void>): void;
  /** The values of a counter since the start, by labels. */
  totals(name: CounterName): Promise<readonly Sample[]>;
  /** The metrics in the text exposition format, version 0.0.4. */
  text(): Promise<Exposition>;
  /** The metrics as objects. */
  families(): Promise<readonly MetricFamily[]>;
}

/** Adds to a counter; by default 1. */
export type Count = (by?: number) => void;
/** Records a value in the unit of the instrument. */
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

/** Returns a cache of bound instruments by a key that encodes their labels. Callers must use a bounded number of keys. */
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

/** The samples of a gauge without labels. */
export const single = (value: number) => [{ labels: {}, value }];

export const sample = <Labels extends Readonly<Record<string, string>>>(
  labels: Labels,
  value: number,
): Sample<Labels> => ({ labels, value });

/** One sample for each type; 0 for a type without a value. */
export const byType = (types: readonly string[], values: ReadonlyMap<string, number>) =>
  types.map((type) => sample({ type }, values.get(type) ?? 0));
