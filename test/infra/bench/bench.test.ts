import { describe, expect, it } from 'vitest';
import { type Figure, isMet, median, percentile } from '#infra/bench/measure/figure.ts';
import { compare, times, within } from '#infra/bench/measure/rounds.ts';

const figure = (about: Partial<Figure>): Figure => ({ what: 'pushes', value: 10, unit: '1/s', ...about });

describe('a figure of the bench', () => {
  it('without a target is neither met nor missed', () => {
    expect(isMet(figure({}))).toBeUndefined();
  });

  it('meets a bound that it does not exceed', () => {
    expect(isMet(figure({ target: { bound: 10 } }))).toBe(true);
    expect(isMet(figure({ target: { bound: 9.9 } }))).toBe(false);
  });

  it('meets a share by its ratio, and never without a baseline', () => {
    expect(isMet(figure({ target: { share: 0.5 }, compared: { baseline: 20, ratio: 0.5 } }))).toBe(true);
    expect(isMet(figure({ target: { share: 0.5 }, compared: { baseline: 20, ratio: 0.49 } }))).toBe(false);
    expect(isMet(figure({ target: { share: 0.5 } }))).toBe(false);
  });

  it('takes its median and percentiles from values in any order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
    expect(percentile([5, 1, 4, 2, 3], 0.99)).toBe(5);
    expect(() => median([])).toThrow(RangeError);
    expect(() => percentile([], 0.5)).toThrow(RangeError);
  });
});

describe('the rounds of the bench', () => {
  it('measure both sides alternately, and swap their order each round', async () => {
    const order: string[] = [];
    const side = (name: string, values: number[]) => async () => {
      order.push(name);
      return values.shift() ?? 0;
    };
    const found = await compare(3, 1_000, side('ours', [10, 30, 20]), side('bare', [20, 20, 20]));
    expect(order).toEqual(['ours', 'bare', 'bare', 'ours', 'ours', 'bare']);
    expect(found).toEqual({ value: 20, baseline: 20, ratio: 1 });
  });

  it('give up a measurement that does not end', async () => {
    await expect(within(1, new Promise(() => {}))).rejects.toThrow('took longer than 1 ms');
  });

  it('run each index once, with the given concurrency', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await times(7, 3, async (index) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      done.push(index);
      running -= 1;
    });
    expect(done.sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(most).toBe(3);
  });
});
