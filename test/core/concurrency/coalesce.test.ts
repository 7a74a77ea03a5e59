import { afterEach, describe, expect, test, vi } from 'vitest';
import { coalesce } from '#core/concurrency/coalesce.ts';

/** A batch function that answers when the test tells it to, and records its inputs. */
function held() {
  const batches: { readonly inputs: readonly string[]; answer(): void; fail(cause: Error): void }[] = [];
  const run = (inputs: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    batches.push({ inputs, answer: () => resolve(inputs.map((input) => input.toUpperCase())), fail: reject });
    return promise;
  };
  return { run, batches, inputs: () => batches.map((batch) => batch.inputs) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const turns = async () => {
  await turn();
  await turn();
};

describe('calls that arrive together', () => {
  test('share one batch and get their own outputs', async () => {
    const { run, batches, inputs } = held();
    const call = coalesce(run, { batchSizeMax: 10, batchesMax: 1 });
    const outputs = ['a', 'b', 'a'].map(call);
    await turns();
    expect(inputs()).toEqual([['a', 'b', 'a']]);
    batches[0]?.answer();
    expect(await Promise.all(outputs)).toEqual(['A', 'B', 'A']);
  });

  test('are cut into batches of the greatest size', async () => {
    const { run, batches, inputs } = held();
    const call = coalesce(run, { batchSizeMax: 2, batchesMax: 3 });
    const outputs = ['a', 'b', 'c', 'd', 'e'].map(call);
    await turns();
    expect(inputs()).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    for (const batch of batches) batch.answer();
    expect(await Promise.all(outputs)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test('wait while the maximum number of batches is in flight, and form one batch afterwards', async () => {
    const { run, batches, inputs } = held();
    const call = coalesce(run, { batchSizeMax: 10, batchesMax: 1 });
    const first = call('a');
    await turns();
    const rest = ['b', 'c'].map(call);
    await turns();
    expect(inputs()).toEqual([['a']]);
    batches[0]?.answer();
    expect(await first).toBe('A');
    await turns();
    expect(inputs()).toEqual([['a'], ['b', 'c']]);
    batches[1]?.answer();
    expect(await Promise.all(rest)).toEqual(['B', 'C']);
  });
});

describe('beside a batch that has just begun', () => {
  afterEach(() => vi.useRealTimers());

  const begun = async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const { run, batches, inputs } = held();
    const call = coalesce(run, { batchSizeMax: 3, batchesMax: 2, gatherMs: 20 });
    const first = call('a');
    await turns();
    return { call, first, batches, inputs };
  };

  test('a few calls wait until it has finished', async () => {
    const { call, first, batches, inputs } = await begun();
    const rest = ['b', 'c'].map(call);
    await turns();
    vi.advanceTimersByTime(19);
    await turns();
    expect(inputs()).toEqual([['a']]);
    batches[0]?.answer();
    await first;
    await turns();
    expect(inputs()).toEqual([['a'], ['b', 'c']]);
    batches[1]?.answer();
    expect(await Promise.all(rest)).toEqual(['B', 'C']);
  });

  test('a full batch begins at once', async () => {
    const { call, batches, inputs } = await begun();
    const rest = ['b', 'c', 'd', 'e'].map(call);
    await turns();
    expect(inputs()).toEqual([['a'], ['b', 'c', 'd']]);
    for (const batch of batches) batch.answer();
    await turns();
    batches[2]?.answer();
    expect(await Promise.all(rest)).toEqual(['B', 'C', 'D', 'E']);
  });

  test('a few calls start after that time when it is delayed', async () => {
    const { call, batches, inputs } = await begun();
    const rest = [call('b')];
    await turns();
    vi.advanceTimersByTime(20);
    rest.push(call('c'));
    await turns();
    expect(inputs()).toEqual([['a'], ['b']]);
    batches[1]?.answer();
    await rest[0];
    await turns();
    vi.advanceTimersByTime(20);
    await turns();
    expect(inputs()).toEqual([['a'], ['b'], ['c']]);
    for (const batch of batches) batch.answer();
    expect(await Promise.all(rest)).toEqual(['B', 'C']);
  });
});

test('a single call starts at once, and its result is not kept for the next one', async () => {
  const { run, batches, inputs } = held();
  const call = coalesce(run, { batchSizeMax: 10, batchesMax: 2 });
  const first = call('a');
  await turns();
  batches[0]?.answer();
  await first;
  const second = call('a');
  await turns();
  expect(inputs()).toEqual([['a'], ['a']]);
  batches[1]?.answer();
  expect(await second).toBe('A');
});

describe('a batch that fails', () => {
  test('fails its own callers only, and the next one runs', async () => {
    const { run, batches } = held();
    const call = coalesce(run, { batchSizeMax: 1, batchesMax: 1 });
    const [first, second] = [call('a'), call('b')];
    const refused = expect(first).rejects.toThrow('store is away');
    await turns();
    batches[0]?.fail(new Error('store is away'));
    await refused;
    await turns();
    batches[1]?.answer();
    expect(await second).toBe('B');
  });

  test('by throwing at once counts like one that rejects', async () => {
    const call = coalesce<string, string>(
      () => {
        throw new Error('at once');
      },
      { batchSizeMax: 2, batchesMax: 1 },
    );
    await expect(call('a')).rejects.toThrow('at once');
    await expect(call('b')).rejects.toThrow('at once');
  });

  test('because it answers fewer outputs than inputs fails those without one', async () => {
    const call = coalesce(async (inputs: readonly string[]) => inputs.slice(0, 1), { batchSizeMax: 2, batchesMax: 1 });
    const [first, second] = [call('a'), call('b')];
    const refused = expect(second).rejects.toThrow('fewer outputs than inputs');
    expect(await first).toBe('a');
    await refused;
  });
});

test('an output that is undefined is an output', async () => {
  const call = coalesce(async (inputs: readonly string[]) => inputs.map(() => undefined), {
    batchSizeMax: 2,
    batchesMax: 1,
  });
  expect(await Promise.all([call('a'), call('b')])).toEqual([undefined, undefined]);
});

test('for any number of calls, the number of batches in flight is bounded and every call is answered once', async () => {
  let inFlight = 0;
  let most = 0;
  const seen: number[] = [];
  const call = coalesce(
    async (inputs: readonly number[]) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await turn();
      inFlight -= 1;
      seen.push(...inputs);
      return inputs;
    },
    { batchSizeMax: 7, batchesMax: 3 },
  );
  const numbers = Array.from({ length: 500 }, (_, index) => index);
  const answers = numbers.map(async (number) => {
    if (number % 3 === 0) await turn();
    return call(number);
  });
  expect(await Promise.all(answers)).toEqual(numbers);
  expect(most).toBeLessThanOrEqual(3);
  expect(seen.toSorted((a, b) => a - b)).toEqual(numbers);
});
