import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eachOf } from '#core/concurrency/each-of.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('all items are processed, never more at once than allowed, and the results keep their order', async () => {
  const counts = fc.record({ count: fc.nat(40), widthMax: fc.integer({ min: 1, max: 50 }), turns: fc.func(fc.nat(3)) });
  await fc.assert(
    fc.asyncProperty(counts, async ({ count, widthMax, turns }) => {
      let [now, most] = [0, 0];
      const results = await eachOf([...Array(count).keys()], widthMax, async (item) => {
        now += 1;
        most = Math.max(most, now);
        for (let left = turns(item); left >= 0; left -= 1) await turn();
        now -= 1;
        return item * 2;
      });
      expect(results).toEqual(Array.from({ length: count }, (_, item) => item * 2));
      expect(most).toBe(Math.min(count, widthMax));
    }),
    { numRuns: 50 },
  );
});

test('after a failure no further item begins, and those in progress have ended', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const done = eachOf([0, 1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    await turn();
    if (item === 0) throw new Error('the first');
    await turn();
    ended.push(item);
  });
  await expect(done).rejects.toThrow('the first');
  expect([begun, ended]).toEqual([[0, 1], [1]]);
});

test('a width below one processes one item at a time', async () => {
  expect(await eachOf(['a', 'b'], 0, async (item) => item)).toEqual(['a', 'b']);
});
