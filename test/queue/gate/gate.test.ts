import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { openGate } from '#queue/gate/gate.ts';
import { ending, testRedis } from '../../support/services.ts';
import { patientLimits } from '../queues.ts';
import { budget, opened, refused, testGate, wide } from './gates.ts';

describe('the rate of a gate', () => {
  it('lets a burst in and then the rate, shared by all processes', async () => {
    const { gate, second, pass } = testGate();
    opened(await gate.enter('7', budget));
    opened(await second.enter('7', budget));
    opened(await gate.enter('7', budget));
    expect(refused(await second.enter('7', budget))).toMatchObject({ reason: 'rate', waitMs: 100 });
    pass(100);
    opened(await gate.enter('7', budget));
    refused(await gate.enter('7', budget));
    pass(1_000_000);
    for (let index = 0; index < 3; index += 1) opened(await gate.enter('7', budget));
    refused(await gate.enter('7', budget));
  });

  it('counts every call of an operation, including those beyond the one that its pass paid for', async () => {
    const { gate, pass } = testGate();
    await opened(await gate.enter('7', budget)).leave('well', 0, 8);
    expect(refused(await gate.enter('7', budget))).toMatchObject({ reason: 'rate', waitMs: 600 });
    pass(600);
    opened(await gate.enter('7', budget));
    refused(await gate.enter('7', budget));
  });

  it('is not used by an operation that made no call', async () => {
    const { gate } = testGate();
    for (let index = 0; index < 10; index += 1) await opened(await gate.enter('7', budget)).leave('well', 0, 0);
    opened(await gate.enter('7', budget));
  });

  it('forgives debt that exceeds the calls of an hour', async () => {
    const { gate, pass } = testGate();
    await opened(await gate.enter('7', budget)).leave('well', 0, 1_000_000);
    pass(3_600_000 + 1_000);
    opened(await gate.enter('7', budget));
  });

  it('is shared by concurrent operations of a destination, and separate for each destination', async () => {
    const { gate } = testGate();
    const passes = await Promise.all(['7', '8', '7', '7', '8', '7', '7'].map((id) => gate.enter(id, budget)));
    expect(passes.map(({ admitted }) => admitted)).toEqual([true, true, true, true, true, false, false]);
    expect(passes.slice(5).map((pass) => refused(pass).waitMs)).toEqual([100, 200]);
  });

  it('spreads refused operations at its pace', async () => {
    const { gate } = testGate();
    for (let index = 0; index < 3; index += 1) opened(await gate.enter('7', budget));
    const waits: number[] = [];
    for (let index = 0; index < 5; index += 1) waits.push(refused(await gate.enter('7', budget)).waitMs);
    expect(waits).toEqual([100, 200, 300, 400, 500]);
  });

  it('never delays for much longer than a minute', async () => {
    const { gate } = testGate();
    const slow = { ...budget, callsPerSecond: 0.1, burst: 1 };
    opened(await gate.enter('7', slow));
    for (let index = 0; index < 30; index += 1) {
      expect(refused(await gate.enter('7', slow)).waitMs).toBeLessThanOrEqual(70_000);
    }
  });

  it('is kept per destination', async () => {
    const { gate } = testGate();
    for (let index = 0; index < 3; index += 1) opened(await gate.enter('7', budget));
    refused(await gate.enter('7', budget));
    opened(await gate.enter('8', budget));
  });

  it('refuses a budget under which no operation could ever enter', async () => {
    const { gate } = testGate();
    await expect(gate.enter('7', { ...budget, callsPerSecond: 0 })).rejects.toThrow('positive rate');
  });
});

describe('the rate of an account', () => {
  it('is shared by all destinations of the account, and only by them', async () => {
    const { gate, second, pass } = testGate();
    const came = async () => {
      const passes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? gate : second).enter(index % 2 ? '7' : '8', budget, 'a')),
      );
      for (const one of passes) if (one.admitted) await one.leave('well');
      return passes.filter(({ admitted }) => admitted).length;
    };
    let admitted = await came();
    for (let step = 0; step < 100; step += 1) {
      pass(100);
      admitted += await came();
    }
    // Ten a second for ten seconds, and the burst.
    expect(admitted).toBe(103);
    opened(await gate.enter('9', budget, 'b'));
    opened(await gate.enter('9', budget));
  });

  it('counts every call of an operation, whichever destination made it', async () => {
    const { gate, pass } = testGate();
    await opened(await gate.enter('7', budget, 'a')).leave('well', 0, 8);
    expect(refused(await gate.enter('8', budget, 'a'))).toMatchObject({ reason: 'rate', waitMs: 600 });
    pass(600);
    opened(await gate.enter('8', budget, 'a'));
  });

  it('is not used up by calls that do not count for it, while that of their destination is', async () => {
    const { gate } = testGate();
    await opened(await gate.enter('7', budget, 'a')).leave('well', 0, 8, 0);
    await opened(await gate.enter('6', budget, 'a')).leave('sick', 0, 8, 0);
    refused(await gate.enter('7', budget, 'a'));
    for (let index = 0; index < 3; index += 1) opened(await gate.enter('8', budget, 'a'));
    refused(await gate.enter('8', budget, 'a'));
  });

  it('does not depend on the health of its destinations', async () => {
    const { gate } = testGate();
    for (let index = 0; index < 5; index += 1) await opened(await gate.enter('7', wide, 'a')).leave('sick');
    expect(refused(await gate.enter('7', wide, 'a')).reason).toBe('circuit-open');
    opened(await gate.enter('8', wide, 'a'));
  });
});

describe('the number of passes of a gate', () => {
  const two = { ...wide, concurrencyMax: 2 };

  it('is bounded until one is returned', async () => {
    const { gate, second } = testGate();
    const first = opened(await gate.enter('7', two));
    opened(await second.enter('7', two));
    expect(refused(await second.enter('7', two)).reason).toBe('concurrency');
    await first.leave('well');
    await first.leave('well');
    opened(await gate.enter('7', two));
    expect(refused(await gate.enter('7', two)).reason).toBe('concurrency');
  });

  it('recovers the passes of a dead worker when they expire', async () => {
    const { gate, pass } = testGate();
    opened(await gate.enter('7', two));
    opened(await gate.enter('7', two));
    pass(two.passMs - 1);
    refused(await gate.enter('7', two));
    pass(1);
    opened(await gate.enter('7', two));
  });

  it('delays by how long passes are held', async () => {
    const { gate, pass } = testGate();
    const one = { ...wide, concurrencyMax: 1 };
    for (let index = 0; index < 40; index += 1) {
      const held = opened(await gate.enter('7', one));
      pass(1_000);
      await held.leave('well');
    }
    opened(await gate.enter('7', one));
    const waits = [refused(await gate.enter('7', one)).waitMs, refused(await gate.enter('7', one)).waitMs];
    expect(waits[0]).toBeGreaterThan(900);
    expect(waits[1]).toBeGreaterThan(1_900);
  });
});

describe('a sick destination', () => {
  it('closes its gate after five consecutive sick verdicts, and not before', async () => {
    const { gate, verdicts } = testGate();
    await verdicts(4, 'sick');
    await verdicts(1, 'well');
    await verdicts(4, 'sick');
    await verdicts(1, 'sick');
    expect(refused(await gate.enter('7', wide))).toMatchObject({ reason: 'circuit-open', waitMs: 1_000 });
    opened(await gate.enter('8', wide));
  });

  it('is tried by one probe, which opens the gate when it is well', async () => {
    const { gate, second, pass, verdicts } = testGate();
    await verdicts(5, 'sick');
    pass(1_000);
    const probe = opened(await gate.enter('7', wide));
    expect(refused(await second.enter('7', wide)).reason).toBe('circuit-open');
    await probe.leave('well');
    opened(await second.enter('7', wide));
    await verdicts(4, 'sick');
    opened(await gate.enter('7', wide));
  });

  it('is left alone twice as long after each sick probe, up to a minute', async () => {
    const { gate, pass, verdicts } = testGate();
    await verdicts(5, 'sick');
    const closings: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const { waitMs } = refused(await gate.enter('7', wide));
      closings.push(waitMs);
      pass(waitMs);
      await opened(await gate.enter('7', wide)).leave('sick');
    }
    expect(closings).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('gets another probe when the first pass is never returned', async () => {
    const { gate, pass, verdicts } = testGate();
    await verdicts(5, 'sick');
    pass(1_000);
    opened(await gate.enter('7', wide));
    pass(wide.passMs);
    await opened(await gate.enter('7', wide)).leave('well');
    opened(await gate.enter('7', wide));
  });

  it('is not considered well because of operations that made no call', async () => {
    const { gate, pass, verdicts } = testGate();
    const callNobody = async () => opened(await gate.enter('7', wide)).leave('well', 0, 0);
    await verdicts(4, 'sick');
    await callNobody();
    await verdicts(1, 'sick');
    const { waitMs } = refused(await gate.enter('7', wide));
    expect(waitMs).toBe(1_000);
    pass(waitMs);
    await callNobody();
    const probe = opened(await gate.enter('7', wide));
    expect(refused(await gate.enter('7', wide)).reason).toBe('circuit-open');
    await probe.leave('sick');
    expect(refused(await gate.enter('7', wide)).waitMs).toBe(2_000);
  });

  it('is left alone at once for as long as it asks, whatever late calls report', async () => {
    const { gate, pass, verdicts } = testGate();
    const late = opened(await gate.enter('7', wide));
    await verdicts(1, 'sick', 30_000);
    await late.leave('well');
    expect(refused(await gate.enter('7', wide))).toMatchObject({ reason: 'circuit-open', waitMs: 30_000 });
    pass(29_999);
    refused(await gate.enter('7', wide));
    pass(1);
    await opened(await gate.enter('7', wide)).leave('well');
    opened(await gate.enter('7', wide));
  });

  it('is left alone for the longest time that it has requested', async () => {
    const { gate, verdicts } = testGate();
    const late = opened(await gate.enter('7', wide));
    await verdicts(1, 'sick', 30_000);
    await late.leave('sick', 10_000);
    expect(refused(await gate.enter('7', wide)).waitMs).toBe(30_000);
  });

  it('is not left alone for longer because earlier calls end after its closing', async () => {
    const { gate, pass, verdicts } = testGate();
    const late = await Promise.all(Array.from({ length: 10 }, async () => opened(await gate.enter('7', wide))));
    await verdicts(5, 'sick');
    for (const call of late) await call.leave('sick');
    pass(1_000);
    opened(await gate.enter('7', wide));
  });

  it('spreads delayed operations after its reopening', async () => {
    const { gate, verdicts } = testGate();
    await verdicts(5, 'sick');
    const waits: number[] = [];
    for (let index = 0; index < 4; index += 1) waits.push(refused(await gate.enter('7', budget)).waitMs);
    expect(waits).toEqual([1_000, 1_100, 1_200, 1_300]);
  });

  it('starts again with a full budget when Redis loses its data', async () => {
    const { gate, url, prefix, verdicts } = testGate();
    await verdicts(5, 'sick');
    const redis = new Redis(url);
    await redis.del(`${prefix}:gate:7`, `${prefix}:passes:7`);
    redis.disconnect();
    opened(await gate.enter('7', wide));
  });
});

it('a gate without a clock uses the time of Redis', async () => {
  const { url, prefix } = testRedis();
  const gate = ending(openGate({ redisUrl: url, prefix, limits: patientLimits }));
  const slow = { ...budget, callsPerSecond: 0.001, burst: 1 };
  await opened(await gate.enter('7', slow)).leave('well');
  const { reason, waitMs } = refused(await gate.enter('7', slow));
  expect(reason).toBe('rate');
  expect(waitMs).toBeLessThanOrEqual(1_000_000);
  expect(waitMs).toBeGreaterThan(900_000);
});

describe('the concurrent calls of a destination', () => {
  it('are shared by the operations that are in flight', async () => {
    const { gate } = testGate();
    const few = { ...wide, concurrencyMax: 10 };
    const alone = opened(await gate.enter('7', few));
    expect(alone.callsAtOnce).toBe(10);
    const more = await Promise.all(Array.from({ length: 4 }, () => gate.enter('7', few)));
    expect(more.map((pass) => opened(pass).callsAtOnce)).toEqual([2, 2, 2, 2]);
    const rest = await Promise.all(Array.from({ length: 6 }, () => gate.enter('7', few)));
    expect(rest.slice(0, 5).map((pass) => opened(pass).callsAtOnce)).toEqual([1, 1, 1, 1, 1]);
    expect(refused(rest[5] ?? alone)).toMatchObject({ reason: 'concurrency' });
  });
});

describe('a gate whose clock is set back by an hour', () => {
  const back = -3_600_000;

  it('earns its rate as before', async () => {
    const { gate, pass } = testGate();
    for (let index = 0; index < 3; index += 1) await opened(await gate.enter('7', budget)).leave('well');
    pass(back);
    expect(refused(await gate.enter('7', budget)).waitMs).toBeLessThanOrEqual(200);
    pass(300);
    opened(await gate.enter('7', budget));
  });

  it('opens again when its closing is over', async () => {
    const { gate, pass, verdicts } = testGate();
    await verdicts(5, 'sick');
    pass(back);
    expect(refused(await gate.enter('7', wide)).waitMs).toBeLessThanOrEqual(1_500);
    pass(1_500);
    opened(await gate.enter('7', wide));
  });

  it('recovers passes that were never returned', async () => {
    const { gate, pass } = testGate();
    const narrow = { ...wide, concurrencyMax: 1 };
    opened(await gate.enter('7', narrow));
    pass(back);
    expect(refused(await gate.enter('7', narrow)).reason).toBe('concurrency');
    pass(narrow.passMs + 1);
    opened(await gate.enter('7', narrow));
  });
});
