/** Before the page knows for how long its session is renewed: one with less than this left is due. */
const leftMsFirst = 4 * 3_600_000;
const againMsFirst = 10_000;
const againMsMax = 300_000;

/** A session that is renewed while the page is used. */
export interface Keeper {
  /** The page is used. */
  use(): void;
  /** Renews the session if it is due. One that could not be renewed stays as it is, and is tried again, less and less often. */
  look(): Promise<void>;
}

/**
 * A session is due when less than half of what a renewal gives is left.
 *
 * @param endsAt in milliseconds since 1970; undefined for one that never ends
 * @param renew resolves with the seconds that the session lasts from then on
 */
export function keeperOf(
  endsAt: number | undefined,
  renew: () => Promise<number>,
  now: () => number = Date.now,
): Keeper {
  let [end, dueMs, isUsed, isBusy] = [endsAt, leftMsFirst, true, false];
  let [waitMs, notBefore] = [againMsFirst, 0];
  const isDue = () => end !== undefined && end - now() < dueMs && now() >= notBefore;
  const renewed = (seconds: number) => {
    isUsed = false;
    end = seconds > 0 ? now() + seconds * 1_000 : undefined;
    dueMs = (seconds * 1_000) / 2;
    [waitMs, notBefore] = [againMsFirst, 0];
  };
  const failed = () => {
    notBefore = now() + waitMs;
    waitMs = Math.min(2 * waitMs, againMsMax);
  };
  return {
    use() {
      isUsed = true;
    },
    async look() {
      if (!isUsed || isBusy || !isDue()) return;
      isBusy = true;
      await renew().then(renewed, failed);
      isBusy = false;
    },
  };
}
