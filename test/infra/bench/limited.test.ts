import { describe, expect, it } from 'vitest';
import type { EnforcedLimit } from '#destinations/facts.ts';
import { LimitedCalls } from '#infra/bench/measure/limited.ts';

const costs = { read: 1, write: 5 };
const window: EnforcedLimit = { form: 'window', units: 10, seconds: 10, waitStep: 1, costs };
const bucket: EnforcedLimit = { form: 'bucket', units: 10, seconds: 1, waitStep: 1, costs };

function limited(limit: EnforcedLimit, seconds: number) {
  let now = 5_000;
  const calls = new LimitedCalls(limit, seconds, () => now);
  const pass = (ms: number) => {
    now += ms;
  };
  return { calls, pass, write: () => calls.admit({ writes: true }), read: () => calls.admit({ writes: false }) };
}

describe('a stand-in with a limit', () => {
  it('admits so many units in each window from the first call on, and says how long the window lasts', () => {
    const { pass, write, read } = limited(window, 20);
    expect([write(), write()]).toEqual([undefined, undefined]);
    pass(2_500);
    expect([write(), read()]).toEqual([8, 8]);
    pass(7_500);
    expect([write(), read(), write()]).toEqual([undefined, undefined, 10]);
  });

  it('admits what a bucket holds, and then at its pace', () => {
    const { pass, write } = limited(bucket, 20);
    expect([write(), write(), write()]).toEqual([undefined, undefined, 1]);
    pass(500);
    expect([write(), write()]).toEqual([undefined, 1]);
    pass(60_000);
    expect([write(), write(), write()]).toEqual([undefined, undefined, 1]);
  });

  it('counts for the measured time, and knows what would have been possible', () => {
    const { calls, pass, write } = limited(window, 10);
    for (let call = 0; call < 3; call += 1) write();
    expect(calls.counts()).toEqual({ admitted: 10, possible: 10, calls: 3, throttled: 1, over: false });
    pass(10_000);
    write();
    expect(calls.counts()).toEqual({ admitted: 10, possible: 10, calls: 3, throttled: 1, over: true });
    expect(limited(bucket, 10).calls.counts()).toMatchObject({ possible: 110, over: false });
  });
});
