import { describe, expect, test } from 'vitest';
import { type Ended, rememberedAfter } from '#sync/claim/rechecks.ts';
import type { Unconfirmed } from '#sync/model/unconfirmed.ts';

const times = { firstMs: 10_000, secondMs: 60_000 };
const well: Ended = { unconfirmed: false, done: true, failed: false, arrived: true, continued: false };
const fresh: Unconfirmed = { ageMs: 100, rechecks: 0, due: false, rechecking: false };
const recheck: Unconfirmed = { ageMs: 10_100, rechecks: 0, due: true, rechecking: true };
const over = { over: true, fresh: false, rechecks: 0, afterMs: null };
const stopped = { over: false, rechecks: 0, afterMs: null };

const decided = (before: Unconfirmed | undefined, ended: Partial<Ended> = {}) =>
  rememberedAfter(before, { ...well, ...ended }, times);

describe('the memory of unconfirmed calls', () => {
  test('is empty while every call is seen to end', () => {
    expect(decided(undefined)).toBeUndefined();
    expect(decided(undefined, { done: false, failed: true })).toBeUndefined();
    expect(decided(undefined, { failed: true })).toBeUndefined();
  });

  test('begins with such a call, without a recheck before the association is in line', () => {
    expect(decided(undefined, { unconfirmed: true, done: false, failed: true })).toEqual({ ...stopped, fresh: true });
    expect(decided(recheck, { unconfirmed: true, done: false })).toEqual({ ...stopped, fresh: true });
  });

  test('does not change during attempts that are followed by another', () => {
    expect(decided(fresh, { done: false, failed: true })).toBeUndefined();
    expect(decided(recheck, { done: false })).toBeUndefined();
  });

  test('leads to a first recheck after the next success, then to a second one, and then ends', () => {
    expect(decided(fresh)).toEqual({ over: false, fresh: false, rechecks: 0, afterMs: 10_000 });
    expect(decided(recheck)).toEqual({ over: false, fresh: false, rechecks: 1, afterMs: 60_000 });
    expect(decided({ ...recheck, rechecks: 1 })).toEqual(over);
  });

  test('keeps its times when a change arrives between the rechecks', () => {
    expect(decided({ ...fresh, rechecks: 1 })).toEqual({ over: false, fresh: false, rechecks: 1, afterMs: 60_000 });
  });

  test('ends with a success after any late call, unless an earlier attempt pushed a part of it', () => {
    expect(decided({ ...fresh, ageMs: 60_000 })).toEqual(over);
    const late = { over: false, fresh: false, rechecks: 0, afterMs: 10_000 };
    expect(decided({ ...fresh, ageMs: 60_000 }, { continued: true })).toEqual(late);
  });
});

describe('a final failure', () => {
  test('of everything leads to no recheck, and the memory is kept until the next success', () => {
    expect(decided(fresh, { failed: true, arrived: false })).toEqual({ ...stopped, fresh: false });
    expect(decided(undefined, { failed: true, arrived: false, unconfirmed: true })).toEqual({
      ...stopped,
      fresh: true,
    });
  });

  test('of a part leads to at most two rechecks of the rest', () => {
    expect(decided(fresh, { failed: true })).toMatchObject({ rechecks: 0, afterMs: 10_000 });
    expect(decided(recheck, { failed: true })).toMatchObject({ rechecks: 1, afterMs: 60_000 });
    expect(decided({ ...recheck, rechecks: 1 }, { failed: true })).toEqual({ ...stopped, fresh: false });
  });

  test('of a recheck whose own calls are unconfirmed leads to no further one', () => {
    expect(decided(recheck, { failed: true, unconfirmed: true })).toEqual({ ...stopped, fresh: true });
    expect(decided({ ...recheck, due: false }, { failed: true })).toEqual({ ...stopped, fresh: false });
  });
});
