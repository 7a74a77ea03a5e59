import { eachOf } from '#core/concurrency/each-of.ts';
import { type Compared, median, percentile } from './figure.ts';

/** One round of one side. Returns its rate or size. */
export type Measure = () => Promise<number>;

export interface Rounds extends Compared {
  readonly value: number;
}

/**
 * Measures two sides alternately, `count` times, and swaps their order each round, so that other work of the machine affects both
 * equally. Each measurement has `limitMs`.
 *
 * @throws Error when a measurement takes longer
 */
export async function compare(count: number, limitMs: number, ours: Measure, baseline: Measure): Promise<Rounds> {
  const pairs: { readonly ours: number; readonly baseline: number }[] = [];
  for (let round = 0; round < count; round += 1) {
    const first = round % 2 === 0 ? await within(limitMs, ours()) : undefined;
    const bare = await within(limitMs, baseline());
    pairs.push({ ours: first ?? (await within(limitMs, ours())), baseline: bare });
  }
  return {
    value: median(pairs.map((pair) => pair.ours)),
    baseline: median(pairs.map((pair) => pair.baseline)),
    ratio: median(pairs.map((pair) => pair.ours / pair.baseline)),
  };
}

/** @throws Error after `limitMs` milliseconds; the work continues until its processes end with the bench */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`a measurement took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Checks every few milliseconds until it is true. The caller limits the time with `within`. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Runs `work` for 0, 1, … `count - 1`, `width` at once. */
export async function times(count: number, width: number, work: (index: number) => Promise<unknown>): Promise<void> {
  await eachOf([...Array(count).keys()], width, work);
}

/** The 95th percentile of the times that single runs take, one after another, in milliseconds. */
export async function p95(count: number, work: () => Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return percentile(taken, 0.95);
}
