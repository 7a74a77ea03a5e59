import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '#destinations/fake.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { lateMs } from './late.ts';

/** How often each fault was injected. */
export type FaultCounts = Map<string, number>;

export interface FaultInjector {
  readonly injected: FaultCounts;
  /** Resolves when every server runs again and every stand-in is healthy. */
  stop(): Promise<void>;
}

type Deed = (world: World, random: Random) => Promise<string>;

/** The number of operations between two faults, so that a slow machine can still work; after this time a fault is injected anyway. */
const operationsBetween = { min: 3, max: 50 };
const idleMsMax = 4_000;

/** Injects one fault after the other until it is stopped. */
export function releaseMonkey(world: World, random: Random, operations: () => number): FaultInjector {
  const injected: FaultCounts = new Map();
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const done = await random.weighted(world.failsOver ? choicesWithStandby : choices)(world, random);
      injected.set(done, (injected.get(done) ?? 0) + 1);
      await untilOperations(operations, random, stopping.signal);
    }
  })();
  return {
    injected,
    async stop() {
      stopping.abort();
      await running;
      for (const fake of world.fakes.values()) fake.heal();
      await Promise.all(world.processes.map((one) => one.untilReady()));
    },
  };
}

async function untilOperations(operations: () => number, random: Random, signal: AbortSignal): Promise<void> {
  const wanted = operations() + random.whole(operationsBetween.min, operationsBetween.max);
  const deadline = Date.now() + idleMsMax;
  while (operations() < wanted && Date.now() < deadline && !signal.aborted) await pause(10);
}

const killOne =
  (kind: string): Deed =>
  async ({ processes }, random) => {
    const all = processes.filter(({ name }) => name.startsWith(kind));
    const ready = all.filter((one) => one.ready);
    // Mostly one at a time, so that work is in flight when a process is killed.
    if (ready.length === 0 || (ready.length < all.length && random.chance(0.8))) return 'kill spared';
    random.pick(ready).kill();
    return `SIGKILL ${kind}`;
  };

const faults: readonly (readonly [number, Fault['kind']])[] = [
  [3, 'throttle'],
  [3, 'unavailable'],
  [2, 'hang'],
  [3, 'reset'],
  [6, 'lost-answer'],
  [4, 'late'],
  [1, 'denied'],
  [1, 'credentials'],
];

const harm: Deed = async ({ fakes }, random) => {
  const kind = random.weighted(faults);
  const retry = random.chance(0.5) ? { retryAfterSeconds: 1 } : {};
  // More in a row would keep the gates closed most of the time, and nothing else would be tested.
  const times = random.chance(0.1) ? random.whole(6, 12) : random.whole(1, 4);
  random.pick([...fakes.values()]).fail({ kind, times, ...retry, lateMs: random.whole(lateMs.min, lateMs.max) });
  return `fault ${kind}`;
};

const heal: Deed = async ({ fakes }, random) => {
  random.pick([...fakes.values()]).heal();
  return 'stand-in healed';
};

const choices: readonly (readonly [number, Deed])[] = [
  [4, killOne('worker')],
  [1.5, killOne('api')],
  [1.5, killOne('sweep')],
  [18, harm],
  [4, heal],
  [
    0.5,
    async (world) => {
      await world.restartRedis(true);
      return 'Redis restarted, data kept';
    },
  ],
  [
    0.5,
    async (world) => {
      await world.restartRedis(false);
      return 'Redis restarted, data lost';
    },
  ],
  [0.5, (world) => world.restartPostgres()],
];

/** So often that a short run has some. */
const choicesWithStandby: typeof choices = [...choices, [3, (world) => world.restartPostgres()]];
