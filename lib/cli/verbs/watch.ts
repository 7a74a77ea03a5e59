import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Result } from '../output/result.ts';
import type { Described, Given } from '../verb.ts';

export const watchOptions: readonly Described[] = [
  ['-w, --watch', 'look again and again until interrupted'],
  ['--interval <seconds>', 'time between two looks of --watch; default: 2'],
  ['--times <count>', 'end --watch after so many looks'],
];

/** Looks that `--watch` takes without `--times`. */
const unlimited = 1_000_000_000;

/** One look, or with `--watch` many. On a terminal each takes the place of the one before. */
export async function watched<R extends Result>(context: Context, given: Given, look: () => Promise<R>): Promise<R> {
  if (!given.flag('watch')) return look();
  const interval = given.count('interval', 2, { min: 1, max: 3_600 });
  const times = given.count('times', unlimited, { min: 1, max: unlimited });
  for (let count = 1; count < times; count += 1) {
    const result = await look();
    if (context.host.output.isTTY === true) context.host.output.write('\u001b[H\u001b[2J');
    await context.show(result);
    await delay(interval * 1_000, undefined, { signal: context.host.signal });
  }
  return look();
}
