import { setTimeout as delay } from 'node:timers/promises';
import { CallFailure } from '#client/wire/failure.ts';
import type { Context } from '../context.ts';
import type { Result } from '../output/result.ts';
import type { Described, Given } from '../verb.ts';

export const watchOptions: readonly Described[] = [
  ['-w, --watch', 'look again and again until interrupted'],
  ['--interval <seconds>', 'time between two looks of --watch; default: 2', { with: ['--watch'] }],
  ['--times <count>', 'end --watch after so many looks', { with: ['--watch'] }],
];

/** Looks that `--watch` takes without `--times`. */
const unlimited = 1_000_000_000;

/** Seconds between two looks. */
export const intervalOf = (given: Given, otherwise = 2): number =>
  given.count('interval', otherwise, { min: 1, max: 3_600 });

/**
 * One look, or with `--watch` many. On a terminal each takes the place of the one before.
 * @param untilNext waits until it is time for the next look
 */
export async function watched<R extends Result>(
  context: Context,
  given: Given,
  look: () => Promise<R>,
  untilNext = () => rest(context, intervalOf(given)),
): Promise<R> {
  if (!given.flag('watch')) return look();
  // A wrong number is told before the first look.
  intervalOf(given);
  const times = given.count('times', unlimited, { min: 1, max: unlimited });
  const lookOn = patient(context, look);
  for (let count = 1; count < times; count += 1) {
    const result = await lookOn();
    if (result !== undefined) {
      if (context.host.output.isTTY === true) context.host.output.write('\u001b[H\u001b[2J');
      await context.show(result);
    }
    await untilNext();
  }
  return look();
}

/**
 * A look that is taken again and again. Once one has succeeded, a server that is away for a while does not end the command: it is told, and the
 * look is undefined.
 */
export function patient<T>({ host, say }: Context, look: () => Promise<T>): () => Promise<T | undefined> {
  let hasSucceeded = false;
  let told = '';
  return async () => {
    try {
      const seen = await look();
      [hasSucceeded, told] = [true, ''];
      return seen;
    } catch (error) {
      if (!hasSucceeded || host.signal.aborted || !(error instanceof CallFailure && error.isPassing)) throw error;
      if (told !== error.message) say(`${error.message}; looking again`);
      told = error.message;
      return undefined;
    }
  };
}

/** @param seconds at least 0 */
export const rest = ({ host }: Context, seconds: number): Promise<void> =>
  delay(seconds * 1_000, undefined, { signal: host.signal });

/** How long one request may wait for news, the most that the server allows, in seconds. */
export const newsSecondsMax = 30;

/** How long a request waits for news, in seconds. The time limit of the client's calls must not end the wait. */
export const newsSeconds = ({ settings }: Context, wantedSeconds = newsSecondsMax): number =>
  Math.ceil(Math.min(newsSecondsMax, settings.connection.timeoutMs / 2_000, wantedSeconds));
