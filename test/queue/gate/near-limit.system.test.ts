import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { loadFacts } from '#destinations/load.ts';
import { LimitedCalls } from '#infra/bench/measure/limited.ts';
import type { GateBudget } from '#queue/contract.ts';
import { type Open, testGate } from './gates.ts';

interface Flight {
  readonly pass: Open;
  readonly endsMs: number;
  readonly retryAfterSeconds: number | undefined;
}

const roundTripMs = 40;

/** Pushes as fast as the gate allows to an account with the limit of the type, by a clock that does not depend on the machine. */
async function push({ type, rate, concurrencyMax }: (typeof definitions)[number], destinations: number) {
  const { enforced } = await loadFacts(type);
  const seconds = Math.max(20, 2 * enforced.seconds);
  const { gate, second, pass } = testGate();
  let now = 0;
  const limited = new LimitedCalls(enforced, seconds, () => now);
  const budget: GateBudget = { ...rate, concurrencyMax, passMs: 60_000 };
  const places = [gate, second].slice(0, destinations).map((own, index) => ({ own, id: String(index) }));
  let flights: readonly Flight[] = [];
  const stepMs = Math.max(10, Math.floor(250 / rate.callsPerSecond));
  for (; now < seconds * 1_000; now += stepMs, pass(stepMs)) {
    const [ended, flying] = [flights.filter((one) => one.endsMs <= now), flights.filter((one) => one.endsMs > now)];
    flights = flying;
    await Promise.all(ended.map(leave));
    for (const place of places) {
      const entered = await place.own.enter(place.id, budget, 'account');
      if (!entered.admitted) continue;
      const retryAfterSeconds = limited.admit({ writes: true });
      flights = [...flights, { pass: entered, endsMs: now + roundTripMs, retryAfterSeconds }];
    }
  }
  return limited.counts();
}

const leave = ({ pass, retryAfterSeconds }: Flight): Promise<void> =>
  retryAfterSeconds === undefined ? pass.leave('well') : pass.leave('throttled', retryAfterSeconds * 1_000);

describe.each(definitions)('near the limit of $type', (definition) => {
  test.each([1, 2])(
    'an account with %i in use gets nearly all of it, and few calls are throttled',
    async (destinations) => {
      const { admitted, possible, calls, throttled } = await push(definition, destinations);
      expect(admitted / possible).toBeGreaterThanOrEqual(0.95);
      expect(throttled / calls).toBeLessThan(0.01);
    },
  );
});
