import { expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import { openGate } from '#queue/gate/gate.ts';
import { openLevels } from '#queue/pending/levels.ts';
import { ending, testRedis } from '../../support/services.ts';
import { gateway, lockMs, operation, otherType, patientLimits, testQueue, type } from '../queues.ts';

const budget = { callsPerSecond: 1_000, burst: 1_000, concurrencyMax: 100, passMs: 10_000 };

function levelsOf(redisUrl: string, prefix: string) {
  const levels = openLevels({ redisUrl, prefix, types: [type, otherType], log: silentLog, limits: patientLimits });
  return ending({ ...levels, close: async () => levels.close() });
}

test('waiting, active and delayed jobs are counted by type', async () => {
  const queue = await testQueue();
  const levels = levelsOf(queue.url, queue.prefix);
  const none = { waiting: 0, active: 0, delayed: 0, unreadable: 0 };
  expect(Object.fromEntries(await levels.jobs())).toEqual({ [type]: none, [otherType]: none });
  await queue.enqueue([operation(1), operation(2), operation(3)], 10);
  const [taken, over] = [gateway(), gateway()];
  const consumer = queue.consume(
    type,
    async ({ id }) => {
      if (id === '1') return { kind: 'again', afterMs: 60_000 };
      taken.open();
      await over.opened;
      return { kind: 'done', generation: 1 };
    },
    { concurrency: 1, lockMs },
  );
  await taken.opened;
  expect((await levels.jobs()).get(type)).toEqual({ waiting: 1, active: 1, delayed: 1, unreadable: 0 });
  expect(await levels.pending()).toBe(3);
  over.open();
  await consumer.close(1_000);
});

test('jobs of paused queues are counted too', async () => {
  const queue = await testQueue();
  await queue.pause();
  await queue.enqueue([operation(1), operation(2)], 10);
  expect((await levelsOf(queue.url, queue.prefix).jobs()).get(type)).toEqual({
    waiting: 2,
    active: 0,
    delayed: 0,
    unreadable: 0,
  });
});

test('a circuit breaker is open until its time is over, then half open until a probe succeeds', async () => {
  const { url, prefix } = testRedis();
  const gate = ending(openGate({ redisUrl: url, prefix, random: () => 0, limits: patientLimits }));
  const levels = levelsOf(url, prefix);
  const sick = async (id: string, afterMs: number) => {
    const pass = await gate.enter(id, budget);
    if (pass.admitted) await pass.leave('sick', afterMs);
  };
  await sick('1', 60_000);
  await sick('2', 1);
  const well = await gate.enter('3', budget);
  if (well.admitted) await well.leave('well');
  await expect.poll(() => levels.breakers(['1', '2', '3', '4'])).toEqual({ open: 1, half_open: 1 });
  const probe = await gate.enter('2', budget);
  if (probe.admitted) await probe.leave('well');
  expect(await levels.breakers(['1', '2', '3'])).toEqual({ open: 1, half_open: 0 });
});

test('many circuit breakers are read in bounded batches', async () => {
  const { url, prefix } = testRedis();
  const ids = Array.from({ length: 1_201 }, (_, index) => String(index));
  expect(await levelsOf(url, prefix).breakers(ids)).toEqual({ open: 0, half_open: 0 });
});
