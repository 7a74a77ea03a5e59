import { Redis } from 'ioredis';
import { describe, expect, it, test } from 'vitest';
import { LimitedCalls } from '#infra/bench/measure/limited.ts';
import { gateStates } from '#queue/gate/states.ts';
import { ending } from '../../support/services.ts';
import { budget as even, type Open, opened, testGate } from './gates.ts';

const budget = { ...even, callsPerSecond: 30, windowMs: 1_000 };

/** A gate of an account whose provider counts calls in windows of a second. */
function windowedGate() {
  const gates = testGate();
  const redis = new Redis(gates.url);
  ending({ close: async () => redis.disconnect() });
  const limit = async () => (await gateStates(redis, gates.prefix, ['7']))[0]?.limit ?? budget.callsPerSecond;
  const enter = (id = '7') => gates.gate.enter(id, budget, 'a');
  /** Tries every five milliseconds, and returns at which of them it was let in. */
  const push = async (ms: number): Promise<readonly number[]> => {
    const at: number[] = [];
    for (let passed = 0; passed < ms; passed += 5, gates.pass(5)) {
      const pass = await enter();
      if (!pass.admitted) continue;
      at.push(passed);
      await pass.leave('well');
    }
    return at;
  };
  /** The pass of the next call. */
  const next = async (): Promise<Open> => {
    for (;;) {
      const pass = await enter();
      if (pass.admitted) return pass;
      gates.pass(pass.waitMs);
    }
  };
  const make = async (calls: number) => {
    for (let call = 0; call < calls; call += 1) await (await next()).leave('well');
  };
  /** The next call is throttled, and the window that it is told begins. */
  const throttled = async (retryAfterMs: number) => {
    const pass = await next();
    gates.pass(20);
    await pass.leave('throttled', retryAfterMs);
    gates.pass(retryAfterMs);
  };
  return { ...gates, redis, limit, enter, next, push, make, throttled };
}

describe('an account whose provider counts calls in windows', () => {
  it('makes as many calls in each as the limit allows, and none in its last quarter', async () => {
    const { throttled, push } = windowedGate();
    await throttled(400);
    const at = await push(2_000);
    const [first, second] = [at.filter((ms) => ms < 1_000), at.filter((ms) => ms >= 1_000)];
    expect(first).toHaveLength(29);
    expect(second).toHaveLength(29);
    expect(first.at(-1)).toBeLessThan(800);
    expect((second.at(-1) ?? 0) - 1_000).toBeLessThan(800);
  });

  it('tells those that wait when the next window begins', async () => {
    const { throttled, pass, push, enter } = windowedGate();
    await throttled(400);
    await push(850);
    expect(await enter()).toMatchObject({ admitted: false, reason: 'rate' });
    pass(150);
    opened(await enter());
  });

  it('counts all calls of an operation, also in the windows that follow', async () => {
    const { redis, prefix, throttled, pass, next, push } = windowedGate();
    await throttled(400);
    await (await next()).leave('well', 0, 45);
    // The debt of tokens is another limit.
    for (const key of ['account:a', 'gate:7']) await redis.hset(`${prefix}:${key}`, { t: 3 });
    const [{ o: start = 0 }, now] = [await redis.hgetall(`${prefix}:account:a`), await nowIn(redis, prefix)];
    pass(Number(start) + 1_000 - now);
    expect(await push(1_000)).toHaveLength(13);
    expect(await push(1_000)).toHaveLength(29);
  });

  it('decreases the limit by little when a window is passed at its end, however often', async () => {
    const { throttled, make, limit } = windowedGate();
    await throttled(100);
    for (let window = 1; window <= 3; window += 1) {
      const before = await limit();
      await make(26);
      await throttled(200);
      expect((await limit()) / before).toBeCloseTo(0.97, 6);
    }
  });

  it('decreases it by much when windows are throttled long before', async () => {
    const { throttled, make, limit } = windowedGate();
    await throttled(100);
    const before = await limit();
    await make(10);
    await throttled(700);
    expect((await limit()) / before).toBeCloseTo(0.75, 6);
  });

  it('survives a clock that is set back by an hour', async () => {
    const { pass, push } = windowedGate();
    await push(1_000);
    pass(-3_600_000);
    expect((await push(2_000)).length).toBeGreaterThan(45);
  });
});

/** The time at which the account was last used. */
const nowIn = async (redis: Redis, prefix: string) => Number(await redis.hget(`${prefix}:account:a`, 'n'));

/** The same numbers from 0 to 1 in each run. */
function numbers() {
  let last = 1;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

test.each([1, 2])(
  'calls that take different times to arrive, from a worker that pauses, use the windows at %i destinations',
  async (destinations) => {
    const { gate, second, pass } = testGate();
    const random = numbers();
    const seconds = 20;
    let now = 0;
    const costs = { read: 1, write: 1 };
    const limit = { form: 'window', units: 30, seconds: 1, waitStep: 0.1, costs } as const;
    const limited = new LimitedCalls(limit, seconds, () => now);
    const places = [gate, second].slice(0, destinations).map((own, index) => ({ own, id: String(index), fromMs: 0 }));
    let flights: readonly { readonly pass: Open; readonly arrivesMs: number }[] = [];
    let pausedUntil = 0;
    for (; now < seconds * 1_000; now += 10, pass(10)) {
      const arrived = flights.filter(({ arrivesMs }) => arrivesMs <= now);
      flights = flights.filter(({ arrivesMs }) => arrivesMs > now);
      for (const flight of arrived) {
        const retryAfterSeconds = limited.admit({ writes: true });
        if (retryAfterSeconds === undefined) await flight.pass.leave('well');
        else await flight.pass.leave('throttled', retryAfterSeconds * 1_000);
      }
      if (now < pausedUntil) continue;
      if (random() < 0.03) pausedUntil = now + 40 + 60 * random();
      for (const place of places.filter(({ fromMs }) => fromMs <= now)) {
        const entered = await place.own.enter(place.id, { ...budget, concurrencyMax: 8 }, 'account');
        if (entered.admitted) flights = [...flights, { pass: entered, arrivesMs: now + 10 + 90 * random() ** 2 }];
        // Other operations try sooner than this one would again.
        else place.fromMs = now + Math.min(entered.waitMs, 30);
      }
    }
    const { admitted, possible, calls, throttled } = limited.counts();
    expect(admitted / possible).toBeGreaterThanOrEqual(0.95);
    expect(throttled / calls).toBeLessThan(0.01);
  },
);
