import { expect, test } from 'vitest';
import { Freshness, msBetween } from '#store/postgres/replica/freshness.ts';

const at = (ms: number) => ({ running: ms, wall: ms });

test('a replica is as fresh as the latest position of the primary that it has reached', () => {
  const freshness = new Freshness();
  freshness.primaryAt(at(1_000), 10n);
  freshness.primaryAt(at(2_000), 20n);
  freshness.primaryAt(at(3_000), 20n);
  freshness.primaryAt(at(4_000), 30n);
  expect(freshness.replicaAt(9n)).toBeUndefined();
  expect(freshness.replicaAt(10n)).toEqual(at(1_000));
  expect(freshness.replicaAt(29n)).toEqual(at(3_000));
  expect(freshness.replicaAt(29n)).toEqual(at(3_000));
  expect(freshness.replicaAt(30n)).toEqual(at(4_000));
});

test('a replica becomes stale while it stands still and the primary advances, and not while nothing changes', () => {
  const freshness = new Freshness();
  for (let second = 1; second <= 3_000; second += 1) freshness.primaryAt(at(second * 1_000), second < 100 ? 5n : 6n);
  expect(freshness.replicaAt(5n)).toBeUndefined();
  expect(freshness.replicaAt(6n)).toEqual(at(3_000_000));
});

test('positions of another primary are forgotten', () => {
  const freshness = new Freshness();
  freshness.primaryAt(at(1_000), 10n);
  freshness.forget();
  expect(freshness.replicaAt(10n)).toBeUndefined();
});

test('time passes when one of the two clocks says so', () => {
  expect(msBetween({ running: 0, wall: 0 }, { running: 5, wall: 900 })).toBe(900);
  expect(msBetween({ running: 0, wall: 500 }, { running: 7, wall: 0 })).toBe(7);
});
