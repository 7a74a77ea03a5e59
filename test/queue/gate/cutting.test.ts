import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { cutting } from '#queue/gate/learning.ts';
import { gateStates } from '#queue/gate/states.ts';
import { ending } from '../../support/services.ts';
import { budget, opened, testGate } from './gates.ts';

function cutGate() {
  const gates = testGate();
  const redis = new Redis(gates.url);
  ending({ close: async () => redis.disconnect() });
  const state = async (id = '7') => (await gateStates(redis, gates.prefix, [id], gates.clock))[0];
  const call = async (verdict: 'well' | 'sick' | 'throttled', afterMs = 0, id = '7') => {
    gates.pass(1_000);
    await opened(await gates.gate.enter(id, budget, 'a')).leave(verdict, afterMs);
  };
  return { ...gates, state, call };
}

test('a call that is throttled now and then cuts nothing', async () => {
  const { state, call, pass } = cutGate();
  await call('throttled', 1_000);
  expect(await state()).toMatchObject({ circuit: 'open', openedBy: 'throttling', throttledSince: undefined });
  pass(1_000);
  await call('well');
  expect(await state()).toMatchObject({ circuit: 'closed', openedBy: undefined, throttledSince: undefined });
});

test('a wait that is longer than a moment cuts the destination from then on, and until calm has passed after it', async () => {
  const { state, call, clock, pass } = cutGate();
  await call('throttled', cutting.momentMs);
  const since = clock.now();
  expect((await state())?.throttledSince).toEqual(since);
  pass(cutting.momentMs + cutting.calmMs);
  expect((await state())?.throttledSince).toEqual(since);
  pass(1);
  expect((await state())?.throttledSince).toBeUndefined();
});

test('calls that are throttled soon after each other cut the destination, once that has lasted for a moment', async () => {
  const { state, call, clock } = cutGate();
  await call('throttled');
  await call('throttled');
  const since = clock.now();
  await call('throttled');
  expect((await state())?.throttledSince).toBeUndefined();
  for (let passed = 1_000; passed < cutting.momentMs; passed += 2_000) {
    await call('well');
    await call('throttled');
  }
  expect((await state())?.throttledSince).toEqual(since);
});

test('a cut that comes after calm is a new one', async () => {
  const { state, call, clock, pass } = cutGate();
  await call('throttled', cutting.momentMs);
  pass(cutting.momentMs + cutting.calmMs);
  await call('throttled', cutting.momentMs);
  expect((await state())?.throttledSince).toEqual(clock.now());
});

test('a destination that does not answer is not throttled, and one that shares its account is not either', async () => {
  const { state, call } = cutGate();
  await call('sick', cutting.momentMs, '8');
  expect(await state('8')).toMatchObject({ circuit: 'open', openedBy: 'silence', throttledSince: undefined });
  await call('throttled', cutting.momentMs);
  expect((await state('8'))?.throttledSince).toBeUndefined();
});
