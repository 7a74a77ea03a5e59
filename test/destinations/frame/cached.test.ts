import { expect, test } from 'vitest';
import { cached } from '#destinations/frame/cached.ts';
import { never } from '../driving.ts';

function counting(isFresh: (value: object) => boolean = () => true) {
  let fetches = 0;
  const fetch = async () => {
    fetches += 1;
    return { fetch: fetches };
  };
  return { kept: cached(fetch, isFresh), fetches: () => fetches };
}

test('concurrent callers share one fetch, and later ones its value', async () => {
  const { kept, fetches } = counting();
  await Promise.all([kept.get(never), kept.get(never)]);
  expect(await kept.get(never)).toEqual({ fetch: 1 });
  expect(fetches()).toBe(1);
});

test('a stale or dropped value is fetched again', async () => {
  const { kept } = counting(() => false);
  await kept.get(never);
  expect(await kept.get(never)).toEqual({ fetch: 2 });
  const dropping = counting().kept;
  const value = await dropping.get(never);
  dropping.drop(value);
  dropping.drop(value);
  const newer = await dropping.get(never);
  expect(newer).toEqual({ fetch: 2 });
  dropping.drop(value);
  expect(await dropping.get(never)).toBe(newer);
});

test('a failure is not kept', async () => {
  let fetches = 0;
  const kept = cached(
    async () => {
      fetches += 1;
      if (fetches === 1) throw new Error('not now');
      return fetches;
    },
    () => true,
  );
  await expect(kept.get(never)).rejects.toThrow('not now');
  expect(await kept.get(never)).toBe(2);
});

test('a caller that leaves does not end the fetch of the others', async () => {
  let finish = (_: string) => {};
  const kept = cached(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
    () => true,
  );
  const controller = new AbortController();
  const leaving = kept.get(controller.signal);
  const staying = kept.get(never);
  controller.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  finish('value');
  expect(await staying).toBe('value');
});
