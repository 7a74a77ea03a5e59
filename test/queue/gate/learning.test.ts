import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { gateStates } from '#queue/gate/states.ts';
import { ending } from '../../support/services.ts';
import { budget, opened, refused, testGate } from './gates.ts';

const { callsPerSecond: published } = budget;

/** A gate and what the accounts of its destinations have learned. */
function learningGate() {
  const gates = testGate();
  const redis = new Redis(gates.url);
  ending({ close: async () => redis.disconnect() });
  const limit = async (id: string) => (await gateStates(redis, gates.prefix, [id]))[0]?.limit ?? published;
  /** Uses up the rate for this many calls, a tenth of a second for each. */
  const use = async (calls: number, id = '7', account = 'a') => {
    for (let call = 0; call < calls; call += 1) {
      gates.pass(1_000 / published);
      const pass = await gates.gate.enter(id, budget, account);
      if (pass.admitted) await pass.leave('well');
    }
  };
  const drain = async (id = '7', account = 'a') => {
    for (let call = 0; call < budget.burst; call += 1) {
      const pass = await gates.gate.enter(id, budget, account);
      if (pass.admitted) await pass.leave('well');
    }
  };
  const throttled = async (retryAfterMs = 0, id = '7', account = 'a') => {
    const pass = opened(await gates.gate.enter(id, budget, account));
    gates.pass(20);
    await pass.leave('throttled', retryAfterMs);
  };
  return { ...gates, redis, limit, use, drain, throttled };
}

describe('the learned limit of an account', () => {
  it('begins at the published limit', async () => {
    const { limit, drain } = learningGate();
    await drain();
    expect(await limit('7')).toBe(published);
  });

  it('grows by a fixed step for each call while it is used up', async () => {
    const { limit, use, drain } = learningGate();
    await drain();
    await use(100);
    const first = await limit('7');
    await use(100);
    expect(first - published).toBeGreaterThan(0.001 * published);
    expect((await limit('7')) - first).toBeCloseTo(first - published, 3);
  });

  it('does not grow while half of it is used', async () => {
    const { gate, limit, pass, drain } = learningGate();
    await drain();
    for (let call = 0; call < 50; call += 1) {
      pass(200);
      await opened(await gate.enter('7', budget, 'a')).leave('well');
    }
    expect(await limit('7')).toBeCloseTo(published, 2);
    expect(await limit('7')).toBeLessThan(published * 1.001);
  });

  it('decreases by a factor when a call is throttled, and refills at what is left', async () => {
    const { gate, limit, pass, throttled } = learningGate();
    await throttled();
    expect(await limit('7')).toBeCloseTo(published * 0.97, 6);
    expect(refused(await gate.enter('7', budget, 'a'))).toMatchObject({ reason: 'rate', waitMs: 104 });
    pass(103);
    refused(await gate.enter('7', budget, 'a'));
    pass(1);
    opened(await gate.enter('7', budget, 'a'));
  });

  it('decreases once for all calls that were in flight together', async () => {
    const { gate, second, limit, pass } = learningGate();
    const flight = [await gate.enter('7', budget, 'a'), await second.enter('8', budget, 'a')].map(opened);
    pass(20);
    await Promise.all(flight.map((one) => one.leave('throttled')));
    expect(await limit('7')).toBeCloseTo(published * 0.97, 6);
    expect(await limit('8')).toBeCloseTo(published * 0.97, 6);
  });

  it('decreases by more when it is throttled again soon, and by little after much use', async () => {
    const { limit, pass, throttled, use } = learningGate();
    await throttled();
    pass(1_000);
    await throttled();
    const low = await limit('7');
    expect(low).toBeCloseTo(published * 0.97 * 0.75, 6);
    await use(400);
    const grown = await limit('7');
    expect(grown).toBeGreaterThan(low * 1.1);
    pass(1_000);
    await throttled();
    expect(await limit('7')).toBeCloseTo(grown * 0.97, 1);
  });

  it('grows fast up to where it was last throttled, and slowly from there', async () => {
    const { limit, pass, throttled, use } = learningGate();
    await throttled();
    pass(1_000);
    await throttled();
    await use(800);
    const near = await limit('7');
    await use(100);
    expect(near).toBeGreaterThan(published * 0.97 * 0.97 - 0.01);
    expect(near).toBeLessThan(published * 0.97);
    expect((await limit('7')) - near).toBeLessThan(0.05);
  });

  it('never leaves its bounds', async () => {
    const { gate, limit, pass, throttled, redis, prefix } = learningGate();
    for (let round = 0; round < 30; round += 1) {
      pass(70_000);
      await throttled();
      expect(await limit('7')).toBeGreaterThanOrEqual(published / 20);
    }
    expect(await limit('7')).toBe(published / 20);
    await redis.hset(`${prefix}:account:a`, { l: published * 3.999, m: 1_000, t: 0 });
    for (let call = 0; call < 20; call += 1) {
      pass(25);
      const one = await gate.enter('8', budget, 'a');
      if (one.admitted) await one.leave('well');
      expect(await limit('7')).toBeLessThanOrEqual(published * 4);
    }
    expect(await limit('7')).toBe(published * 4);
    await redis.hset(`${prefix}:account:a`, { l: 1_000_000, t: 0 });
    pass(25);
    await opened(await gate.enter('8', budget, 'a')).leave('well');
    expect(await limit('7')).toBeLessThanOrEqual(published * 4);
  });

  it('does not decrease for calls that do not count for it', async () => {
    const { gate, limit } = learningGate();
    await opened(await gate.enter('7', budget, 'a')).leave('throttled', 0, 1, 0);
    expect(await limit('7')).toBe(published);
  });

  it('is shared by two destinations, which together get what one would', async () => {
    const { gate, second, limit, pass, throttled } = learningGate();
    await throttled(0, '7');
    pass(1_000);
    await throttled(0, '8');
    expect(await limit('7')).toBeCloseTo(published * 0.97 * 0.75, 6);
    expect(await limit('8')).toBe(await limit('7'));
    let admitted = 0;
    for (let step = 0; step < 200; step += 1) {
      pass(50);
      for (const [one, id] of [[gate, '7'] as const, [second, '8'] as const]) {
        const entered = await one.enter(id, budget, 'a');
        if (!entered.admitted) continue;
        admitted += 1;
        await entered.leave('well');
      }
    }
    expect(admitted).toBeGreaterThanOrEqual(70);
    expect(admitted).toBeLessThanOrEqual(90);
  });

  it('is not changed by throttled calls of another account', async () => {
    const { gate, limit, throttled, drain } = learningGate();
    await drain('8', 'b');
    await throttled(30_000, '7', 'a');
    expect(await limit('8')).toBe(published);
    expect(refused(await gate.enter('8', budget, 'b'))).toMatchObject({ reason: 'rate', waitMs: 80 });
  });

  it('waits at all its destinations for the Retry-After of one, at most a minute', async () => {
    const { gate, pass, throttled } = learningGate();
    await throttled(5_000);
    expect(refused(await gate.enter('8', budget, 'a'))).toMatchObject({ reason: 'rate', waitMs: 5_104 });
    opened(await gate.enter('9', budget, 'b'));
    pass(5_104);
    await opened(await gate.enter('8', budget, 'a')).leave('throttled', 3_600_000);
    const waitMs = refused(await gate.enter('10', budget, 'a')).waitMs;
    expect(waitMs).toBeGreaterThan(60_000);
    expect(waitMs).toBeLessThan(61_000);
  });

  it('survives a clock that is set back by an hour', async () => {
    const { gate, limit, pass, throttled } = learningGate();
    await throttled(2_000);
    const before = await limit('7');
    pass(-3_600_000);
    expect(refused(await gate.enter('8', budget, 'a')).waitMs).toBeLessThanOrEqual(2_500);
    pass(3_000);
    await opened(await gate.enter('8', budget, 'a')).leave('well');
    expect(await limit('8')).toBeCloseTo(before, 2);
    await throttled(0, '8');
    expect(await limit('8')).toBeLessThan(before * 0.98);
  });

  it('begins again at the published limit when Redis loses its data', async () => {
    const { gate, limit, pass, throttled, redis, prefix } = learningGate();
    await throttled();
    await redis.del(`${prefix}:account:a`);
    expect(await limit('7')).toBe(published);
    pass(100);
    opened(await gate.enter('7', budget, 'a'));
  });
});
