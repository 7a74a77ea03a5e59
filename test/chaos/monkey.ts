import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../../lib/destinations/fake.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** How often each thing was done to the world. */
export type Deeds = Map<string, number>;

export interface Monkey {
  readonly deeds: Deeds;
  /** Ends when nothing is down any more and every stand-in is well. */
  stop(): Promise<void>;
}

type Deed = (world: World, random: Random) => Promise<string>;

const pauseMsMin = 80;
const pauseMsMax = 700;

/** Breaks things, one after the other, until it is stopped. */
export function releaseMonkey(world: World, random: Random): Monkey {
  const deeds: Deeds = new Map();
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const done = await random.weighted(choices)(world, random);
      deeds.set(done, (deeds.get(done) ?? 0) + 1);
      await pause(random.whole(pauseMsMin, pauseMsMax), undefined, { signal: stopping.signal }).catch(() => {});
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

const killOne =
  (kind: string): Deed =>
  async ({ processes }, random) => {
    const ready = processes.filter(({ name, ready }) => ready && name.startsWith(kind));
    if (ready.length === 0) return 'nothing to kill';
    random.pick(ready).kill();
    return `SIGKILL ${kind}`;
  };

const faults: readonly (readonly [number, Fault['kind']])[] = [
  [3, 'throttle'],
  [3, 'unavailable'],
  [2, 'hang'],
  [3, 'reset'],
  [6, 'lost-answer'],
  [1, 'denied'],
  [1, 'credentials'],
];

const harm: Deed = async ({ fakes }, random) => {
  const kind = random.weighted(faults);
  const retry = random.chance(0.5) ? { retryAfterSeconds: 1 } : {};
  random.pick([...fakes.values()]).fail({ kind, times: random.whole(1, 12), ...retry });
  return `fault ${kind}`;
};

const heal: Deed = async ({ fakes }, random) => {
  random.pick([...fakes.values()]).heal();
  return 'stand-in healed';
};

const choices: readonly (readonly [number, Deed])[] = [
  [5, killOne('worker')],
  [2, killOne('api')],
  [2, killOne('sweep')],
  [18, harm],
  [4, heal],
  [
    1,
    async (world) => {
      await world.restartRedis(true);
      return 'Redis restarted, data kept';
    },
  ],
  [
    1,
    async (world) => {
      await world.restartRedis(false);
      return 'Redis restarted, data lost';
    },
  ],
  [
    1,
    async (world) => {
      await world.restartPostgres();
      return 'PostgreSQL restarted';
    },
  ],
];
