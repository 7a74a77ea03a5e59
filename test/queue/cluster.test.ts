import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { endChild, freePort, startChild } from '../../infra/local/child.ts';
import { serverFolder } from '../../infra/local/folder.ts';
import { systemClock } from '../../lib/core/clock.ts';
import { silentLog } from '../../lib/core/log.ts';
import { openGate } from '../../lib/queue/gate/gate.ts';
import { openQueue } from '../../lib/queue/open.ts';
import { ending } from '../support/services.ts';
import { lockMs, operation, operations, patientLimits, testQueue, type, until } from './queues.ts';

/** A cluster of one node, which refuses scripts and transactions whose keys lie in several slots. */
async function startCluster(): Promise<string> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'keyferry-cluster-'));
  await serverFolder(dir);
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', ''];
  const child = startChild('redis-server', [...options, '--cluster-enabled', 'yes']);
  onTestFinished(async () => {
    await endChild(child, 'SIGTERM');
    await rm(dir, { recursive: true, force: true });
  });
  const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await until(async () => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  client.disconnect();
  return `redis://127.0.0.1:${port}`;
}

it('everything of the queue and of a gate lies in one slot of a cluster', async () => {
  const redisUrl = await startCluster();
  const queue = await testQueue({ redisUrl, prefix: '{keyferry}' });
  await queue.enqueue(operations(20), 100);
  await queue.reserve(operation(99), 100);
  await queue.release('99', 1);
  await queue.pause();
  await queue.resume();
  expect(await queue.missing(operations(20))).toEqual([]);
  await queue.forget('0', async () => new Set(operations(20).map(({ id }) => id)));
  let runs = 0;
  queue.consume(
    type,
    async () => {
      runs += 1;
      return runs === 1 ? { kind: 'again', afterMs: 10 } : { kind: 'done', generation: 1 };
    },
    { concurrency: 4, lockMs },
  );
  await until(async () => (await queue.pendingCount()) === 0);
  const gate = ending(openGate({ redisUrl, limits: patientLimits }));
  const pass = await gate.enter('7', { callsPerSecond: 1, burst: 1, concurrencyMax: 1, passMs: 1_000 });
  if (pass.admitted) await pass.leave('well');
  expect(pass.admitted).toBe(true);
});

it('a prefix that is no hash tag is refused', async () => {
  const options = { redisUrl: 'redis://127.0.0.1:1', types: [type], log: silentLog, clock: systemClock };
  await expect(openQueue({ ...options, prefix: 'keyferry' })).rejects.toThrow('no hash tag');
});
