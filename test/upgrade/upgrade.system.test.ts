import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/flow/ground.ts';
import { runProgram } from '../support/flow/processes.ts';
import { earlierCode } from './earlier.ts';
import { type Ground, openGround } from './ground.ts';

const earlier = await earlierCode();
if (typeof earlier === 'string') process.stderr.write(`The upgrade is not tested: ${earlier}\n`);
const folder = typeof earlier === 'string' ? '' : earlier.folder;

describe.skipIf(typeof earlier === 'string')('two releases side by side', () => {
  let ground: Ground;
  let stepsBefore = 0;
  beforeAll(async () => {
    ground = await openGround(folder);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(await ground.report());
  });
  afterAll(async () => {
    await ground.close();
    if (typeof earlier !== 'string') await earlier.close();
  });

  test('work on one store and one queue until the old one ends, without a loss', async () => {
    const { start, calls, writeAll, mustBeEqual } = ground;
    const [oldApi, oldWorker] = [await start('old', 'serve'), await start('old', 'worker')];
    await ground.prepare(oldApi);
    await mustBeEqual(oldApi);
    stepsBefore = await ground.schemaSteps();

    const [newApi, newSweep] = [await start('new', 'serve'), await start('new', 'sweep')];
    const both = [oldApi, newApi];
    await writeAll(...both);
    await mustBeEqual(...both);
    expect(calls('new')).toBe(0);

    const newWorker = await start('new', 'worker');
    const before = calls('old');
    await until(async () => {
      await writeAll(...both);
      await mustBeEqual(...both);
      return calls('old') > before && calls('new') > 0;
    });

    // Enough failures to open the circuit breaker of the destination, which both workers share.
    ground.fake.failOf('PutSecretValue', { kind: 'unavailable', times: 7 });
    await writeAll(...both);
    await mustBeEqual(...both);

    for (const [one, other] of [both, both.toReversed()]) {
      if (one === undefined || other === undefined) throw new Error('there are two');
      await ground.disable(one, true);
      const made = calls('old') + calls('new');
      const written = await writeAll(...both);
      await until(async () => (await ground.pending()) === written);
      expect(calls('old') + calls('new')).toBe(made);
      await ground.disable(other, false);
      await mustBeEqual(...both);
    }

    await writeAll(...both);
    for (const old of [oldWorker, oldApi]) expect((await old.end('SIGTERM')).code).toBe(0);
    await mustBeEqual(newApi);
    await writeAll(newApi);
    await mustBeEqual(newApi);
    await ground.removeAll(newApi);
    await until(() => ground.fake.objects().size === 0);
    for (const one of [newWorker, newSweep, newApi]) expect((await one.end('SIGTERM')).code).toBe(0);
  });

  test('the old release does not start on a newer schema', async ({ skip }) => {
    const now = await ground.schemaSteps();
    if (now === stepsBefore) skip(`both have the same ${now} schema steps`);
    const { code, err } = await runProgram('worker', { root: folder, environment: ground.environment });
    expect([code, err.join('\n')]).toEqual([1, expect.stringContaining('opened by a newer release')]);
  });
});
