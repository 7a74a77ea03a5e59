import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDrainer } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';

const { type } = definition;
// No worker runs: a function that is called syncs, and looks.
const service = serviceOf([], { KEYFERRY_SYNC_DRIFT_EVERY_MS: '1000', KEYFERRY_SYNC_WAIT_MS: '0' });
let drainer: Awaited<ReturnType<typeof openDrainer>>;
let fake: Awaited<ReturnType<typeof startFake>>;

beforeAll(async () => {
  fake = await startFake();
  const parts = { config: service.config, log: silentLog, metrics: openMetrics({ process: false }) };
  drainer = await openDrainer(parts, { definition, openDriver: await loadDriver(type) });
});
afterAll(async () => {
  await drainer.close();
  await fake.close();
});

/** What the function keeps for the calls of a last job. */
const reserveMs = () => service.config.KEYFERRY_SYNC_OPERATION_MS_MAX + service.config.KEYFERRY_SYNC_REQUEST_MS_MAX;
const drain = (leftMs: number) => drainer.drain(new Date(Date.now() + reserveMs() + leftMs));
const due = () => sql`update destination_drift set due_at = now()`.execute(service.store.db);

test('a function that is called looks for drift when its jobs are done, unless its time is over', async () => {
  const name = service.name('drained');
  await service.api.write(`sys/sync/destinations/${type}/${name}`, fake.destination);
  await service.set(type, name, await service.secret({ v: 'ours' }));
  await eventually(async () => {
    await drain(patience.testMs);
    return (await service.associations(type, name)).every(({ sync_status }) => sync_status === 'SYNCED');
  });
  const [object = ''] = fake.objects().keys();
  fake.change(object, 'by hand');
  const shown = async () => (await service.ask('GET', `sys/sync/destinations/${type}/${name}`)).data;
  // The destination is noted by the first look.
  await eventually(async () => {
    await drain(patience.testMs);
    await due();
    return (await shown())['drift_checked_at'] !== null;
  });
  await eventually(async () => {
    await due();
    await drain(patience.testMs);
    return (await shown())['drifted'] === 1;
  });
  await due();
  const calls = [...fake.calls()];
  await drain(0);
  expect([...fake.calls()]).toEqual(calls);
  await drain(patience.testMs);
  expect([...fake.calls()]).not.toEqual(calls);
});
