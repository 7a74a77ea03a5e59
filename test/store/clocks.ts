import type { Clock } from '#core/clock.ts';

/** A clock that moves only when a test moves it. */
export function heldClock(start = '2030-01-01T00:00:00.000Z'): Clock & { pass(ms: number): void } {
  let nowMs = Date.parse(start);
  return {
    now: () => new Date(nowMs),
    pass: (ms) => {
      nowMs += ms;
    },
  };
}
