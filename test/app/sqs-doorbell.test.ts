import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test, vi } from 'vitest';
import { sqsDoorbell } from '#app/sqs-doorbell.ts';
import { ending } from '../support/services.ts';
import { functionEnvironment, localSqs } from './sqs.ts';

const type = 'cloud-a-sm';

beforeEach(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

function doorbell(queues: Readonly<Record<string, string>>) {
  const bell = sqsDoorbell(queues);
  ending({ close: async () => bell.close() });
  return bell;
}

test('a ring is a message in the queue of its type, which contains only the type', async () => {
  const sqs = ending(await localSqs([type, 'repo-host']));
  await doorbell(sqs.queues).ring(type);
  expect(await sqs.receive(type)).toMatchObject([{ Body: type }]);
  expect(await sqs.receive('repo-host')).toEqual([]);
});

test('a delayed ring is not delivered early', async () => {
  const sqs = ending(await localSqs([type]));
  const from = Date.now();
  await doorbell(sqs.queues).ring(type, 1_500);
  while ((await sqs.receive(type)).length === 0) await pause(50);
  expect(Date.now() - from).toBeGreaterThanOrEqual(1_500);
});

test('a type without a queue gets no ring', async () => {
  const sqs = ending(await localSqs([type]));
  await doorbell(sqs.queues).ring('repo-host');
  expect(sqs.sent()).toBe(0);
});

test('a queue service that does not answer fails the ring within its limit', async () => {
  await expect(doorbell({ [type]: 'http://127.0.0.1:1/123456789012/none' }).ring(type)).rejects.toThrow();
});
