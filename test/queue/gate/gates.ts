import type { GateBudget, GatePass } from '#queue/contract.ts';
import { openGate } from '#queue/gate/gate.ts';
import { ending, testRedis } from '../../support/services.ts';
import { patientLimits } from '../queues.ts';

export const budget: GateBudget = { callsPerSecond: 10, burst: 3, concurrencyMax: 100, passMs: 30_000 };
export const wide: GateBudget = { callsPerSecond: 1_000, burst: 1_000, concurrencyMax: 100, passMs: 30_000 };

/** Two gates of one Redis, as of two processes, with a clock that only `pass` moves. */
export function testGate() {
  const { url, prefix } = testRedis();
  let now = 1_700_000_000_000;
  const clock = { now: () => new Date(now) };
  const gate = ending(openGate({ redisUrl: url, prefix, clock, random: () => 0, limits: patientLimits }));
  const second = ending(openGate({ redisUrl: url, prefix, clock, random: () => 0, limits: patientLimits }));
  const pass = (ms: number) => {
    now += ms;
  };
  const verdicts = async (count: number, verdict: 'well' | 'sick', retryAfterMs?: number) => {
    for (let index = 0; index < count; index += 1) {
      await opened(await gate.enter('7', wide)).leave(verdict, retryAfterMs);
    }
  };
  return { gate, second, url, prefix, clock, pass, verdicts };
}

export type Open = Extract<GatePass, { admitted: true }>;

export function opened(pass: GatePass): Open {
  if (!pass.admitted) throw new Error(`refused: ${pass.reason}, ${pass.waitMs} ms`);
  return pass;
}

export function refused(pass: GatePass): Extract<GatePass, { admitted: false }> {
  if (pass.admitted) throw new Error('the gate let in');
  return pass;
}
