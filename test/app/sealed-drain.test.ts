import { expect, test } from 'vitest';
import { openDrainer } from '../../lib/app.ts';
import { readConfig } from '../../lib/core/config.ts';
import { definition } from '../../lib/destinations/cloud-a-sm/index.ts';
import { loadDriver } from '../../lib/destinations/load.ts';
import { openMetrics } from '../../lib/telemetry/metrics/open.ts';
import { keptLog, operation, testQueue } from '../queue/queues.ts';
import { patience } from '../support/patience.ts';
import { ending, testDatabase } from '../support/services.ts';

test('a worker function that is sealed ends without taking a job, however much time it has', async () => {
  const queue = await testQueue();
  const config = readConfig({
    DATABASE_URL: await testDatabase(),
    REDIS_URL: queue.url,
    KEYFERRY_REDIS_PREFIX: queue.prefix,
    KEYFERRY_DATABASE_POOL_SIZE: '2',
  });
  await queue.enqueue([operation(1)], 10);
  const log = keptLog();
  const openDriver = await loadDriver(definition.type);
  const metrics = openMetrics({ process: false });
  const drainer = ending(await openDrainer({ config, log, metrics }, { definition, openDriver }));
  const drained = await drainer.drain(new Date(Date.now() + 100 * patience.testMs));
  expect(drained).toEqual({ done: 0, left: true });
  expect(await queue.pendingCount()).toBe(1);
  expect(log.lines.filter(({ message }) => message.includes('this function is sealed'))).toHaveLength(1);
});
