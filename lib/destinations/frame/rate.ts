/** How often one destination may be called. */
export interface Rate {
  readonly callsPerSecond: number;
  /** Calls that may go out at once, after a time of rest. */
  readonly burst: number;
}

/**
 * The budget under a provider's published limit of `calls` in any `seconds`: nine tenths of it steadily, and the tenth that is
 * left as the burst. So no stretch of that length has more calls than the limit, however the burst falls.
 */
export const nineTenthsOf = (calls: number, seconds: number): Rate => ({
  callsPerSecond: (calls * 9) / 10 / seconds,
  burst: Math.floor(calls / 10),
});
