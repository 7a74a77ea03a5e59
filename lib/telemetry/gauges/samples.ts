import type { Sample } from '../metrics/metrics.ts';

/** The samples of a gauge without labels. */
export const single = (value: number) => [{ labels: {}, value }];

export const sample = <Labels extends Readonly<Record<string, string>>>(
  labels: Labels,
  value: number,
): Sample<Labels> => ({ labels, value });

/** One sample for each type; 0 where nothing is known of it. */
export const byType = (types: readonly string[], values: ReadonlyMap<string, number>) =>
  types.map((type) => sample({ type }, values.get(type) ?? 0));
