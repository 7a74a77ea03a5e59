/**
 * How the limit of an account is learned: additive increase while it is used up, multiplicative decrease when the provider throttles.
 * Steps are counted in calls, not in seconds, so that each type has the same share of throttled calls: one in a thousand or less.
 * Shares and steps are parts of the published limit.
 */
export const learning = {
  /** Bounds of the limit. */
  floor: 1 / 20,
  ceiling: 4,
  /** Increase per call near the limit that last throttled, and while far below it, or calm for so many calls that it has grown. */
  stepNear: 0.000_02,
  stepFar: 0.000_5,
  calmCalls: 3_000,
  /** Decrease when the limit was just passed, and when it throttles again within so few calls that it must be far off. */
  mild: 0.97,
  hard: 0.75,
  soonCalls: 150,
  /** At most this long do all destinations of an account wait for a Retry-After that one of them was told. */
  pauseMsMax: 60_000,
} as const;

/** How the calls of a window of the provider are made. */
export const windows = {
  /** They are made before this last part of the window, since calls take different times to arrive. In milliseconds. */
  slackMs: 250,
  slackShareMax: 0.25,
  /** A window that is throttled after this part of its calls was passed by little. */
  nearlyAll: 0.9,
} as const;

/** When throttling cuts a destination, rather than tells the limit of its account now and then. In milliseconds. */
export const cutting = {
  /** A cut that is shorter is none, and a Retry-After of this time is one by itself. */
  momentMs: 10_000,
  /** A cut is over when calls have not been throttled, or only now and then, for so long. */
  calmMs: 60_000,
} as const;
