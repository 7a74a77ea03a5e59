import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { associationsOf, only } from '../../support/flow/associations.ts';
import { startInFlightProxy } from '../../support/flow/calls/in-flight.ts';
import { startMeasuredWorker } from '../../support/flow/calls/measured.ts';
import { type Ground, groundOf, type, until } from '../../support/flow/ground.ts';
import { ending } from '../../support/services.ts';

/** A short lock, so that a worker can be frozen for longer. */
const brief = groundOf({
  settings: {
    KEYFERRY_SYNC_OPERATION_MS_MAX: '1000',
    KEYFERRY_SYNC_REQUEST_MS_MAX: '8000',
    KEYFERRY_SYNC_LOCK_MS: '10000',
  },
});

/** A lock that does not expire in this test: only the wall clock shows that time has passed. */
const ample = groundOf({
  settings: {
    KEYFERRY_SYNC_OPERATION_MS_MAX: '100000',
    KEYFERRY_SYNC_REQUEST_MS_MAX: '100000',
    KEYFERRY_SYNC_LOCK_MS: '600000',
  },
});

/**
 * A worker that waits for the answer to its look at an object to remove, while the object becomes wanted again. The worker must
 * then leave the object alone.
 */
async function removalInProgress(ground: Ground, changes: Readonly<Record<string, string>> = {}) {
  const name = 'wanted-again';
  const api = ending(await ground.start('serve'));
  const client = ground.client(api);
  const inFlight = ending(await startInFlightProxy(ground.fake));
  const path = `sys/sync/destinations/${type}/${name}`;
  const association = { mount: 'secret', secret_name: name };
  const set = () => client.write(`${path}/associations/set`, association);
  await ground.destination(api, name, inFlight.destination);
  await client.write(`secret/data/${name}`, { data: { v: 'first' } });
  await set();
  const worker = ending(await startMeasuredWorker(ground, { ...changes, AWS_SDK_UA_APP_ID: 'frozen' }));
  await ground.untilQuiet();
  const look = inFlight.hold();
  await client.write(`${path}/associations/remove`, association);
  await look.reached;
  return {
    worker,
    look,
    set,
    /** Resolves when another worker has taken the association over and its request is in flight; `release` lets that continue. */
    async takenOver() {
      const held = inFlight.hold();
      ending(await ground.start('worker'));
      await held.reached;
      return held;
    },
    /** Wakes the worker, and resolves when it has noticed that it lost its claim. */
    async thaw() {
      const before = inFlight.askedBy('frozen');
      expect(before).toBeGreaterThan(0);
      process.kill(worker.pid, 'SIGCONT');
      await until(async () => (await worker.counted('keyferry_sync_operations_total', 'outcome="lost"')) > 0);
      expect(inFlight.askedBy('frozen')).toBe(before);
    },
    async expectUntouched() {
      ending(await ground.start('sweep'));
      await ground.untilQuiet();
      expect(ground.fake.calls().get('DeleteSecret') ?? 0).toBe(0);
      expect([...ground.fake.objects().values()].map(({ value }) => value)).toEqual(['{"v":"first"}']);
      const record = only(associationsOf(await client.read(`${path}/associations`)));
      expect(record).toMatchObject({ sync_status: 'SYNCED' });
    },
  };
}

test('a worker that was frozen for longer than its lock makes no further call for an association that another has taken over', async () => {
  const { worker, look, set, takenOver, thaw, expectUntouched } = await removalInProgress(brief);
  process.kill(worker.pid, 'SIGSTOP');
  look.release();
  await set();
  const successor = await takenOver();
  await thaw();
  successor.release();
  await expectUntouched();
});

test('a worker whose machine slept for longer than its lock makes no further call, even though no timer is due', async () => {
  const sleeping = {
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../support/flow/faults/frozen-process.ts', import.meta.url))}`,
  };
  const { worker, look, set, takenOver, thaw, expectUntouched } = await removalInProgress(ample, sleeping);
  process.kill(worker.pid, 'SIGUSR2');
  await until(() => worker.out.includes('slept'));
  process.kill(worker.pid, 'SIGSTOP');
  look.release();
  // What the other processes see during the sleep: its claim has expired, and its job is lost.
  await ample.query('update associations set claimed_until = now() where claimed_until is not null');
  const redis = new Redis(ample.environment['REDIS_URL'] ?? '');
  await redis.flushall().finally(() => redis.disconnect());
  await set();
  const successor = await takenOver();
  await thaw();
  successor.release();
  await expectUntouched();
});
