import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type SentinelSet, startSentinels } from '../support/redis/sentinels.ts';
import { settled, startLoad } from './load.ts';
import { operations, testQueue, until } from './queues.ts';

let set: SentinelSet;
beforeAll(async () => {
  set = await startSentinels();
});
afterAll(() => set?.stop());

const limits = { commandMsMax: 2_000 };

async function loaded() {
  const first = await testQueue({ redisUrl: set.url, limits });
  const second = await testQueue({ redisUrl: set.url, prefix: first.prefix, limits });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const load = startLoad([first, second], stopping.signal);
  await until(() => load.done > 200);
  return { queues: [first, second] as const, load };
}

it('nothing is lost when the primary is killed and the sentinels promote the replica', async () => {
  const { queues, load } = await loaded();
  const killed = await set.primary();
  const before = load.done;
  await killed.kill();
  await until(() => load.done > before + 500);
  expect((await set.primary()).port).not.toBe(killed.port);
  await killed.start();
  await settled(load, queues);
});

it('nothing is lost when the sentinels are asked to fail over', async () => {
  const { queues, load } = await loaded();
  const old = await set.primary();
  await until(async () => (await set.sentinel.call('SENTINEL', 'FAILOVER', 'main').catch(() => 'again')) === 'OK');
  await until(async () => (await set.primary()).port !== old.port);
  const after = load.done;
  await until(() => load.done > after + 500);
  await settled(load, queues);
});

it('the URL may name dead sentinels beside a living one', async () => {
  const [beginning = '', alive = ''] = set.url.split(/@|,/);
  const redisUrl = `${beginning}@127.0.0.1:1,${alive}/main${new URL(set.url.replace(/,[^/]*/g, '')).search}`;
  const queue = await testQueue({ redisUrl, limits });
  expect(await queue.enqueue(operations(3), 100)).toEqual({ refused: [] });
});
