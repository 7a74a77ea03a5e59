import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { usualLimits } from '#queue/redis/connection.ts';
import { ending, testRedis } from '../../support/services.ts';
import { announce, testQueue, until } from '../queues.ts';

const never = new AbortController().signal;

describe('announcements', () => {
  it('wake callers that wait for the association, in any process', async () => {
    const queue = await testQueue();
    const other = await testQueue({ prefix: queue.prefix });
    const listeners = [queue.listen('1'), queue.listen('1'), queue.listen('2')];
    await Promise.all(listeners.map(({ ready }) => ready));
    await announce(other, '1');
    const [first, second] = listeners;
    expect(await first?.wait(20_000, never)).toBe(true);
    expect(await second?.wait(20_000, never)).toBe(true);
    expect(await listeners[2]?.wait(50, never)).toBe(false);
    for (const listener of listeners) listener.stop();
  });

  it('are received even if they were made between listening and waiting', async () => {
    const queue = await testQueue();
    const listener = queue.listen('1');
    await listener.ready;
    await announce(queue, '1');
    const listening = queue.listen('1');
    await listening.ready;
    expect(await listener.wait(20_000, never)).toBe(true);
    listening.stop();
    listener.stop();
    listener.stop();
  });

  it('end a wait that is aborted', async () => {
    const queue = await testQueue();
    const abort = new AbortController();
    const settled = queue.settled('1', 600_000, abort.signal);
    abort.abort();
    expect(await settled).toBe(false);
    expect(await queue.settled('1', 600_000, abort.signal)).toBe(false);
  });

  it('reach a listener that started after others had stopped', async () => {
    const queue = await testQueue();
    for (let round = 0; round < 5; round += 1) {
      const listener = queue.listen('1');
      await listener.ready;
      await announce(queue, '1');
      expect(await listener.wait(20_000, never)).toBe(true);
      listener.stop();
    }
  });

  it('are waited for by a bounded number of requests', async () => {
    const queue = await testQueue();
    const listeners = Array.from({ length: 10_001 }, (_, index) => queue.listen(String(index)));
    expect(await listeners.at(-1)?.wait(600_000, never)).toBe(false);
    for (const listener of listeners) listener.stop();
    const listener = queue.listen('1');
    await listener.ready;
    await announce(queue, '1');
    expect(await listener.wait(20_000, never)).toBe(true);
    listener.stop();
  });

  it('arrive after a server that went away whenever the process subscribed again', async () => {
    const { url, prefix } = testRedis();
    const line = await subscribeCutter(url);
    ending(line);
    const queue = await testQueue({ redisUrl: line.url, prefix, limits: usualLimits });
    const other = await testQueue({ prefix });
    const listener = queue.listen('1');
    await listener.ready;
    line.cut(4);
    await until(() => line.cutsLeft() === 0);
    await until(async () => {
      await announce(other, '1');
      return listener.wait(100, never);
    });
    listener.stop();
  });
});

/** Long enough for a client to find the port closed. */
const awayMs = 200;

/** A proxy to Redis that goes away for a while and, some more times, when a client subscribes. */
async function subscribeCutter(redisUrl: string) {
  const clients = new Set<Socket>();
  let cutsLeft = 0;
  const listen = (port: number) => new Promise<void>((resolve) => line.listen(port, '127.0.0.1', resolve));
  const line = createServer((client) => {
    clients.add(client.on('close', () => clients.delete(client)));
    const server = connect(Number(new URL(redisUrl).port), '127.0.0.1');
    client.on('data', (data) => {
      if (cutsLeft === 0 || !/subscribe/i.test(data.toString('latin1'))) return server.write(data);
      cutsLeft -= 1;
      return goAway();
    });
    server.on('data', (data) => client.write(data));
    client.on('error', () => {}).on('close', () => server.destroy());
    server.on('error', () => {}).on('close', () => client.destroy());
  });
  await listen(0);
  const { port } = line.address() as AddressInfo;
  const goAway = () => {
    line.close(() => setTimeout(() => void listen(port), awayMs));
    for (const client of clients) client.destroy();
  };
  const url = new URL(redisUrl);
  url.port = String(port);
  return {
    url: url.href,
    cutsLeft: () => cutsLeft,
    cut(times: number) {
      cutsLeft = times;
      goAway();
    },
    close: () => new Promise<void>((resolve) => line.close(() => resolve())),
  };
}
