import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDrainer } from '#app.ts';
import { silentLog } from '#core/log/log.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';

// No worker runs: a function that is called answers.
const service = serviceOf([]);
let drainer: Awaited<ReturnType<typeof openDrainer>>;

beforeAll(async () => {
  const openDriver = await loadDriver(definition.type);
  const metrics = openMetrics({ process: false });
  drainer = await openDrainer({ config: service.config, log: silentLog, metrics }, { definition, openDriver });
});
afterAll(() => drainer.close());

test('a function answers the check that waits when it is called', async () => {
  const at = `sys/sync/destinations/${definition.type}/drained`;
  // Nothing listens at this port, so the check fails, and says at which step.
  const connection = {
    access_key_id: 'x',
    secret_access_key: 'x',
    region: 'eu-west-1',
    endpoint: 'https://127.0.0.1:1',
  };
  expect((await service.ask('POST', at, connection)).status).toBe(200);
  let isAnswered = false;
  const asked = service.ask('POST', `${at}/check`).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) await drainer.drain(new Date(Date.now() + 10 * patience.testMs));
  const { status, data, text } = await asked;
  expect(status, text).toBe(200);
  expect(data).toMatchObject({ passed: false });
  expect(data['steps']).toContainEqual(expect.objectContaining({ outcome: 'failed' }));
});
