import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../../lib/destinations/fake.ts';
import { lateMs } from './late.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** How often each thing was done to the world. */
export type Deeds = Map<string, number>;

export interface FaultInjector {
  readonly deeds: Deeds;
  /** Ends when nothing is down any more and every stand-in is well. */
  stop(): Promise<void>;
}

type Deed = (world: World, random: Random) => Promise<string>;

/** Between two deeds so many operations are begun, so that a slow machine is not all chaos; after so long one comes anyway. */
const operationsBetween = { least: 3, most: 50 };
const idleMsMax = 4_000;

/** Breaks things, one after the other, until it is stopped. */
export function releaseMonkey(world: World, random: Random, operations: () => number): FaultInjector {
  const deeds: Deeds = new Map();
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const done = await random.weighted(world.failsOver ? choicesWithStandby : choices)(world, random);
      deeds.set(done, (deeds.get(done) ?? 0) + 1);
      await untilOperations(operations, random, stopping.signal);
    }
  })();
  return {
    deeds,
    async stop() {
      stopping.abort();
      await running;
      for (const fake of world.fakes.values()) fake.heal();
      await Promise.all(world.processes.map((one) => one.untilReady()));
    },
  };
}

async function untilOperations(operations: () => number, random: Random, signal: AbortSignal): Promise<void> {
  const wanted = operations() + random.whole(operationsBetween.least, operationsBetween.most);
  const deadline = Date.now() + idleMsMax;
  while (operations() < wanted && Date.now() < deadline && !signal.aborted) await pause(10);
}

const killOne =
  (kind: string): Deed =>
  async ({ processes }, random) => {
    const all = processes.filter(({ name }) => name.startsWith(kind));
    const ready = all.filter((one) => one.ready);
    // Mostly one at a time, so that there is something in flight to be killed in.
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
  // More in a row would keep the breakers of the gates closed most of the time, and nothing else would be tried.
  const times = random.chance(0.1) ? random.whole(6, 12) : random.whole(1, 4);
  random.pick([...fakes.values()]).fail({ kind, times, ...retry, lateMs: random.whole(lateMs.least, lateMs.most) });
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
