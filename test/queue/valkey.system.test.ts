import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../support/redis/cluster.ts';
import { findValkey } from '../support/redis/valkey.ts';
import { settled, startLoad } from './load.ts';
import { testQueue, until } from './queues.ts';

const valkey = await findValkey();

it('nothing is lost when a primary of a cluster of Valkey is killed and its slot moves on afterwards', async ({
  skip,
}) => {
  if (typeof valkey === 'string') return skip(valkey);
  const cluster = await startCluster(valkey.program);
  onTestFinished(cluster.stop);
  const limits = { commandMsMax: 2_000 };
  const first = await testQueue({ redisUrl: cluster.url, limits });
  const { prefix } = first;
  const second = await testQueue({ redisUrl: cluster.nodes[4]?.url ?? '', prefix, limits });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const load = startLoad([first, second], stopping.signal);
  await until(() => load.done > 200);
  const killed = await cluster.ownerOf(prefix);
  const before = load.done;
  await killed.kill();
  await until(() => load.done > before + 300);
  expect((await cluster.ownerOf(prefix)).port).not.toBe(killed.port);
  await killed.start();
  await cluster.untilWell();
  await cluster.moveSlot(prefix);
  await settled(load, [first, second]);
});
