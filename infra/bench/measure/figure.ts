/** One measured figure, in its unit. */
export interface Figure {
  readonly what: string;
  /** Its position when figures form their own table; the row has a text for each of the first columns. */
  readonly cell?: { readonly row: readonly string[]; readonly column: string };
  readonly value: number;
  readonly unit: string;
  /** The figure of the bare library or server in the same rounds; absent when there is nothing to compare with. */
  readonly compared?: Compared;
  /** Its target; absent when the figure is for information only. */
  readonly target?: Target;
}

export interface Compared {
  readonly baseline: number;
  /**
   * Median over the rounds of the quotient Keyferry ÷ baseline, so that a machine that slows down meanwhile affects one round only.
   */
  readonly ratio: number;
}

/**
 * `share`: the minimum share of the baseline. `bound`: the maximum number of units; with `orRatio`, more is met too if it is at most so
 * many times the baseline, where the baseline depends on the machine and its other work.
 */
export type Target = { readonly share: number } | { readonly bound: number; readonly orRatio?: number };

/** Undefined when there is no target. A share of nothing does not meet it. */
export function isMet({ value, compared, target }: Figure): boolean | undefined {
  if (target === undefined) return undefined;
  if ('bound' in target)
    return value <= target.bound || (compared !== undefined && compared.ratio <= (target.orRatio ?? 0));
  return compared !== undefined && compared.ratio >= target.share;
}

/** The middle value, or the mean of the two middle values. @throws RangeError for none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('the median of nothing');
  return (lower + upper) / 2;
}

/** The value that `share` (0 to 1) of the values do not exceed. @throws RangeError for none */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (found === undefined) throw new RangeError('the percentile of nothing');
  return found;
}
