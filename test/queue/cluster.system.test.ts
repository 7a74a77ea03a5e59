import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { openGate } from '#queue/gate/gate.ts';
import { openQueue } from '#queue/open.ts';
import { type RedisCluster, startCluster } from '../support/redis/cluster.ts';
import { ending } from '../support/services.ts';
import { settled, startLoad } from './load.ts';
import { announce, lockMs, operation, operations, patientLimits, testQueue, type, until } from './queues.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

/** For calls that must end while the cluster recovers. */
const limits = { commandMsMax: 2_000 };

it('one node of a cluster in the URL is enough, whichever it is', async () => {
  for (const { url: redisUrl } of cluster.nodes) {
    const queue = await testQueue({ redisUrl });
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
    const pass = await gate.enter('7', { callsPerSecond: 1_000, burst: 1_000, concurrencyMax: 8, passMs: 1_000 });
    if (pass.admitted) await pass.leave('well');
    expect(pass.admitted).toBe(true);
  }
});

it('the end of an operation is announced to processes that are connected to another node', async () => {
  const [first, second] = cluster.nodes;
  const listening = await testQueue({ redisUrl: first?.url ?? '' });
  const working = await testQueue({ redisUrl: second?.url ?? '', prefix: listening.prefix });
  const listener = listening.listen('1');
  await listener.ready;
  await announce(working, '1');
  expect(await listener.wait(lockMs, new AbortController().signal)).toBe(true);
});

it('the URL may name a dead node beside a living one', async () => {
  const [, alive] = cluster.nodes;
  const redisUrl = `redis://:${cluster.password}@127.0.0.1:1,127.0.0.1:${alive?.port}`;
  const queue = await testQueue({ redisUrl });
  expect(await queue.enqueue(operations(3), 100)).toEqual({ refused: [] });
});

it('clients leave a frozen primary for the replica that has taken over', async () => {
  const { prefix } = await testQueue({ redisUrl: cluster.url });
  const frozen = await cluster.ownerOf(prefix);
  // The client knows only the node that it is about to lose.
  const queue = await testQueue({ redisUrl: frozen.url, prefix, limits });
  await queue.enqueue(operations(3), 100);
  process.kill(frozen.pid, 'SIGSTOP');
  try {
    await expect(queue.pendingCount()).rejects.toMatchObject({ kind: 'unavailable' });
    await until(async () => (await queue.enqueue(operations(5), 100).catch(() => undefined)) !== undefined);
    expect(await queue.pendingCount()).toBe(5);
  } finally {
    process.kill(frozen.pid, 'SIGCONT');
    await cluster.untilWell();
  }
});

describe('under load', () => {
  it('nothing is lost when the primary of the slot is killed, and the capacity is exact afterwards', async () => {
    const { queues, load, prefix } = await loaded();
    const before = load.done;
    const killed = await cluster.ownerOf(prefix);
    await killed.kill();
    await until(() => load.done > before + 500);
    expect((await cluster.ownerOf(prefix)).port).not.toBe(killed.port);
    await killed.start();
    await settled(load, queues);
    await cluster.untilWell();
  });

  it('nothing is lost when a replica takes over on request, and no request fails but as unavailable', async () => {
    const { queues, load, prefix } = await loaded();
    const before = load.done;
    const owner = await cluster.ownerOf(prefix);
    const replica = await cluster.replicaOf(owner);
    await replica.client.call('CLUSTER', 'FAILOVER');
    await until(async () => (await cluster.ownerOf(prefix)).port === replica.port);
    await until(() => load.done > before + 500);
    await settled(load, queues);
    await cluster.untilWell();
  });

  it('nothing is lost when the slot moves to another primary, key by key', async () => {
    const { queues, load, prefix } = await loaded();
    await cluster.moveSlot(prefix);
    const after = load.done;
    await until(() => load.done > after + 500);
    await settled(load, queues);
    await cluster.untilWell();
  });
});

async function loaded() {
  const first = await testQueue({ redisUrl: cluster.url, limits });
  const second = await testQueue({ redisUrl: cluster.nodes[4]?.url ?? '', prefix: first.prefix, limits });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const load = startLoad([first, second], stopping.signal);
  await until(() => load.done > 200);
  return { queues: [first, second] as const, load, prefix: first.prefix };
}

it('a prefix that is not a hash tag is refused', async () => {
  const options = { redisUrl: 'redis://127.0.0.1:1', types: [type], log: silentLog, clock: systemClock };
  await expect(openQueue({ ...options, prefix: 'keyferry' })).rejects.toThrow('is not a hash tag');
});
