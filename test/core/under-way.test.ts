import { describe, expect, it } from 'vitest';
import { UnderWay } from '../../lib/core/concurrency/under-way.ts';

describe('what is under way', () => {
  it('is told in the order in which it began', () => {
    const underWay = new UnderWay<string>();
    for (const value of ['first', 'second', 'third']) underWay.begin(value);
    expect([...underWay]).toEqual(['first', 'second', 'third']);
  });

  it('ends at any place, and is empty when all has ended', () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [1, 2, 0],
    ]) {
      const underWay = new UnderWay<number>();
      const places = [0, 1, 2].map((value) => underWay.begin(value));
      const left = new Set([0, 1, 2]);
      for (const index of order) {
        const place = places[index];
        if (place !== undefined) underWay.end(place);
        left.delete(index);
        expect([...underWay]).toEqual([...left]);
        expect(underWay.isEmpty).toBe(left.size === 0);
      }
    }
  });

  it('takes what begins after all has ended', () => {
    const underWay = new UnderWay<string>();
    underWay.end(underWay.begin('first'));
    underWay.begin('second');
    expect([...underWay]).toEqual(['second']);
  });

  it('does not mind who ends twice', () => {
    const underWay = new UnderWay<string>();
    const [first, second] = [underWay.begin('first'), underWay.begin('second')];
    underWay.begin('third');
    for (const place of [first, first, second, second]) underWay.end(place);
    expect([...underWay]).toEqual(['third']);
  });

  it('lets what it shows end meanwhile', () => {
    const underWay = new UnderWay<string>();
    const places = ['first', 'second', 'third'].map((value) => underWay.begin(value));
    const seen: string[] = [];
    for (const value of underWay) {
      seen.push(value);
      const place = places.shift();
      if (place !== undefined) underWay.end(place);
    }
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  it('names nothing of what has ended', () => {
    const underWay = new UnderWay<string>();
    const [first, second] = [underWay.begin('first'), underWay.begin('second')];
    underWay.end(first);
    expect(first).toEqual({ value: 'first', previous: undefined, next: undefined });
    expect(second.previous).toBeUndefined();
  });
});
