/** The only source of randomness: a small generator (mulberry32), so that a seed gives the same choices again. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Picks by weight; the weights need no particular sum. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T;
  /** A separate generator, so that one actor's choices do not depend on how often another one asks. */
  fork(): Random;
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  const random: Random = {
    next,
    whole,
    chance: (probability) => next() < probability,
    pick: (items) => mustBe(items[whole(0, items.length - 1)]),
    weighted: (items) => {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0);
      const found = items.find(([weight]) => {
        left -= weight;
        return left < 0;
      });
      return mustBe(found ?? items[0])[1];
    },
    fork: () => randomFrom(Math.floor(next() * 4_294_967_296)),
  };
  return random;
}

function mustBe<T>(item: T | undefined): T {
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
