import { expect, test } from 'vitest';
import { takeTurns } from '#core/concurrency/take-turns.ts';

const running = new AbortController().signal;

/** A lane that hands out the numbers up to `last` to `use`, and the rooms it was asked for. */
function lane(last: number, atOnceMax: number, use: (turn: number) => Promise<void>) {
  let next = 0;
  const rooms: number[] = [];
  const claim = async (room: number) => {
    rooms.push(room);
    const claimed: (() => Promise<void>)[] = [];
    while (claimed.length < room && next < last) {
      next += 1;
      const turn = next;
      claimed.push(() => use(turn));
    }
    return claimed;
  };
  return { atOnceMax, claim, rooms };
}

test('every turn is used, and no more than the limit at once', async () => {
  const used: number[] = [];
  let [now, most] = [0, 0];
  const use = async (turn: number) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    used.push(turn);
  };
  expect(await takeTurns([lane(20, 3, use)], running)).toBe(20);
  expect([used.length, new Set(used).size, most]).toEqual([20, 20, 3]);
});

test('a turn that hangs delays no other one, and is waited for', async () => {
  const used: number[] = [];
  let release = () => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  const use = async (turn: number) => {
    if (turn === 1) await hanging;
    used.push(turn);
    if (used.length === 11) release();
  };
  expect(await takeTurns([lane(12, 2, use)], running)).toBe(12);
  expect(used.at(-1)).toBe(1);
});

test('what a turn makes due while it ends during a claim is not left over', async () => {
  const used: number[] = [];
  const first = Promise.withResolvers<void>();
  const turns = [
    [async () => void used.push(await first.promise.then(() => 1))],
    // The claim has looked for work before the first turn ends, and returns after it.
    async () => {
      first.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      expect(used).toEqual([1]);
      return [];
    },
    [async () => void used.push(2)],
  ];
  const claim = async () => {
    const next = turns.shift() ?? [];
    return typeof next === 'function' ? next() : next;
  };
  expect(await takeTurns([{ atOnceMax: 2, claim }], running)).toBe(2);
  expect(used).toEqual([1, 2]);
});

test('after a turn that fails the others are used, and its error is thrown', async () => {
  const used: number[] = [];
  const use = async (turn: number) => {
    if (turn === 2) throw new Error('the second');
    used.push(turn);
  };
  await expect(takeTurns([lane(9, 2, use)], running)).rejects.toThrow('the second');
  expect(used).toHaveLength(8);
});

test('nothing is claimed after the signal, and what was begun ends', async () => {
  const stopping = new AbortController();
  let ended = 0;
  const use = async () => {
    stopping.abort();
    await new Promise((resolve) => setImmediate(resolve));
    ended += 1;
  };
  const many = lane(100, 4, use);
  expect(await takeTurns([many], stopping.signal)).toBe(4);
  expect([ended, many.rooms]).toEqual([4, [4]]);
});

test('a claim that fails is thrown when the turns have ended', async () => {
  let [claims, ended] = [0, false];
  const claim = async () => {
    claims += 1;
    if (claims > 1) throw new Error('no database');
    return [use];
  };
  const use = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
  };
  await expect(takeTurns([{ atOnceMax: 2, claim }], running)).rejects.toThrow('no database');
  expect(ended).toBe(true);
});

test('a lane whose turns hang goes on looking for work of the others', async () => {
  let release = () => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = lane(0, 1, async () => release());
  let looks = 0;
  const claim = async (room: number) => {
    looks += 1;
    return looks < 3 ? late.claim(room) : lane(looks === 3 ? 1 : 0, 1, async () => release()).claim(room);
  };
  expect(await takeTurns([lane(1, 1, () => hanging), { atOnceMax: 1, claim }], running)).toBe(2);
});
