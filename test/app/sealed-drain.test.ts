import { expect, test } from 'vitest';
import { openDrainer } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';
import { keptLog, operation, testQueue } from '../queue/queues.ts';
import { patience } from '../support/measures/patience.ts';
import { ending, testDatabase } from '../support/services.ts';

test('a sealed worker function ends without taking a job, however much time it has', async () => {
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
