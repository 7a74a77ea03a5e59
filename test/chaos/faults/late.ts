import { setTimeout as pause } from 'node:timers/promises';
import { write } from '../actions.ts';
import type { PlayOptions } from '../player.ts';
import type { Random } from '../random.ts';
import type { ChaosSecret } from '../setting.ts';

/** Later than the worker gives up and earlier than its last check, with a margin for a slow machine on both sides. */
export const lateMs = { min: 750, max: 2_700 };

const everyMs = 250;
const timesMax = 3;
const changesOfOne = 8;
const pauseMs = { min: 50, max: 1_000 };

/**
 * The last phase: each client changes one of its secrets a few times in a row while calls to the stand-ins are late, without other
 * faults. It must start at a quiet time: with much pending work every object would be pushed again after its late call anyway, and
 * nothing would be shown.
 */
export async function changeWhileLate(playing: PlayOptions, random: Random): Promise<void> {
  const stop = makeCallsLate(playing, random.fork());
  try {
    const clients = Array.from({ length: playing.clientCount }, (_, index) => index);
    await Promise.all(clients.map((index) => changeOne(playing, index, random.fork())));
  } finally {
    stop();
  }
}

/** Makes calls late until the returned function is called. */
function makeCallsLate({ fakes }: PlayOptions, random: Random): () => void {
  const all = [...fakes.values()];
  const timer = setInterval(() => {
    const times = random.whole(1, timesMax);
    random.pick(all).fail({ kind: 'late', times, lateMs: random.whole(lateMs.min, lateMs.max) });
  }, everyMs);
  return () => {
    clearInterval(timer);
    for (const fake of all) fake.heal();
  };
}

async function changeOne(playing: PlayOptions, index: number, random: Random): Promise<void> {
  const mine: readonly ChaosSecret[] = playing.setting.secrets.filter(({ owner }) => owner === index);
  const secrets = mine.length === 0 ? [] : [random.pick(mine)];
  if (secrets.length === 0) return;
  const player = { ...playing, index, random, setting: { ...playing.setting, secrets } };
  for (let change = 0; change < changesOfOne; change += 1) {
    playing.progress.operations += 1;
    await write(player);
    await pause(random.whole(pauseMs.min, pauseMs.max));
  }
}
