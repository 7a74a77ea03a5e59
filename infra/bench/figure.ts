/** One measured figure, in its unit. */
export interface Figure {
  readonly what: string;
  /** Its position, where figures are shown as a table of their own; the row has one text for each of its first columns. */
  readonly cell?: { readonly row: readonly string[]; readonly column: string };
  readonly value: number;
  readonly unit: string;
  /** The same done by the bare library or server in the same rounds; absent: there is nothing to compare with. */
  readonly compared?: Compared;
  /** What the figure is held to; absent: it is shown for information. */
  readonly target?: Target;
}

export interface Compared {
  readonly baseline: number;
  /** Median over the rounds of the quotient Keyferry ÷ baseline, so that a machine that slows down half-way spoils one round only. */
  readonly ratio: number;
}

/** `share`: at least so much of the baseline. `bound`: at most so many units. */
export type Target = { readonly share: number } | { readonly bound: number };

/** Undefined: there is no target. A share of nothing is not met. */
export function isMet({ value, compared, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  if ('bound' in target) return value <= target.bound;
  return compared !== undefined && compared.ratio >= target.share;
}

/** The middle one; of an even number the mean of the two in the middle. @throws RangeError for none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

/** The value that `share` (0 to 1) of all are at or below. @throws RangeError for none */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (found === undefined) throw new RangeError('the percentile of nothing');
  return found;
}
