import { expect, test } from 'vitest';
import { keyedMutex } from '#core/concurrency/keyed-mutex.ts';

const keyOf = (name: string) => name.charAt(0);
const soon = () => new Promise((resolve) => setImmediate(resolve));

test('calls with the same key run one after another in order, others concurrently', async () => {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const run = keyedMutex(
    async (name: string) => {
      const gate = Promise.withResolvers<void>();
      gates.set(name, gate);
      await gate.promise;
      return name.toUpperCase();
    },
    { keyOf, waitMsMax: 60_000 },
  );
  const outcomes = ['a1', 'a2', 'b1', 'a3'].map(run);
  expect([...gates.keys()]).toEqual(['a1', 'b1']);
  for (const name of ['a1', 'a2']) {
    gates.get(name)?.resolve();
    await soon();
  }
  expect([...gates.keys()]).toEqual(['a1', 'b1', 'a2', 'a3']);
  for (const name of ['b1', 'a3']) gates.get(name)?.resolve();
  expect(await Promise.all(outcomes)).toEqual(['A1', 'A2', 'B1', 'A3']);
});

test('a failed call fails only its own caller, and the next one runs', async () => {
  const run = keyedMutex(
    async (name: string) => {
      if (name === 'a1') throw new Error('no');
      return name;
    },
    { keyOf, waitMsMax: 60_000 },
  );
  const [first, second] = [run('a1'), run('a2')];
  await expect(first).rejects.toThrow('no');
  expect(await second).toBe('a2');
});

test('a call whose turn comes too late is not run', async () => {
  const ran: string[] = [];
  const run = keyedMutex(
    async (name: string) => {
      await soon();
      ran.push(name);
    },
    { keyOf, waitMsMax: 0 },
  );
  const [first, second] = [run('a1'), run('a2')];
  await expect(second).rejects.toMatchObject({ kind: 'unavailable' });
  await first;
  await run('a3');
  expect(ran).toEqual(['a1', 'a3']);
});
