import { afterAll, describe, expect, test } from 'vitest';
import { earlierCode } from './earlier.ts';
import { refusal, roll } from './rolling/play.ts';
import { openStage } from './rolling/stage.ts';
import { sum } from './rolling/tally.ts';

const earlier = await earlierCode();
if (typeof earlier === 'string') process.stderr.write(`The rolling upgrade is not tested: ${earlier}\n`);
afterAll(() => (typeof earlier === 'string' ? undefined : earlier.close()));

/** The time of the load, in addition to the starts of nine processes. `npm run test:rolling` runs it for minutes. */
const playMs = 8_000;

describe.skipIf(typeof earlier === 'string')('a rolling upgrade under load', () => {
  test('goes forward, back and forward again without a loss, and the old release refuses to start on the newer schema', async () => {
    if (typeof earlier === 'string') return;
    const stage = await openStage(earlier.folder);
    try {
      const { tally, steps, back, copies, calls } = await roll(stage, { playMs, clients: 2, report: () => {} });
      expect(tally.violations).toEqual([]);
      expect(back, refusal).toBe(steps.length > 0 ? 'refused' : 'started');
      expect(copies).toBeGreaterThan(0);
      expect([calls.old > 0, calls.new > 0]).toEqual([true, true]);
      for (const { name, done } of tally.phases.slice(1)) expect(sum(done), name).toBeGreaterThan(0);
    } finally {
      await stage.close();
    }
  }, 600_000);
});
