import { setTimeout as pause } from 'node:timers/promises';
import type { Fake } from '#destinations/fake.ts';
import { actions, type Player } from './actions.ts';
import type { Call } from './client.ts';
import type { Random } from './random.ts';
import type { Setting } from './setting.ts';

export interface Progress {
  /** The number of operations that were started. */
  operations: number;
  /** The number of those without an answer. */
  unknown: number;
  /** `name answer` → how often. */
  readonly byName: Map<string, number>;
}

export interface PlayOptions {
  readonly setting: Setting;
  readonly clientCount: number;
  readonly operationsMax: number;
  readonly deadline: number;
  readonly random: Random;
  readonly call: Call;
  readonly fakes: ReadonlyMap<string, Fake>;
  readonly complaints: string[];
  readonly progress: Progress;
}

/** Lets each client run one operation after the other until the operations or the time are used up. */
export async function play(options: PlayOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.clientCount }, (_, index) => playOne(options, index)));
}

async function playOne(options: PlayOptions, index: number): Promise<void> {
  const { progress, setting } = options;
  const random = options.random.fork();
  const player: Player = { ...options, random, index, setting };
  const mine = actions.filter(({ onlyFirst }) => onlyFirst !== true || index === 0);
  const choices = mine.map((action) => [action.weight, action] as const);
  while (progress.operations < options.operationsMax && Date.now() < options.deadline) {
    progress.operations += 1;
    const action = random.weighted(choices);
    const answered = await action.run(player);
    const line = `${action.name} ${answered}`;
    progress.byName.set(line, (progress.byName.get(line) ?? 0) + 1);
    if (answered !== 'unknown') continue;
    progress.unknown += 1;
    // A client without an answer waits a moment, as real clients do.
    await pause(random.whole(20, 200));
  }
}
