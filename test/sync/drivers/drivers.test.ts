import { expect, test } from 'vitest';
import { type Clock, systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import type { Driver } from '#destinations/contract.ts';
import { readBounds } from '#network/bounds.ts';
import type { Store } from '#store/store.ts';
import { keepDrivers } from '#sync/drivers/drivers.ts';
import { testStore } from '../../store/stores.ts';
import { ending } from '../../support/services.ts';

async function newDestination({ db, barrier }: Store): Promise<string> {
  const { id } = await db
    .insertInto('destinations')
    .values({
      type: definition.type,
      name: 'x',
      connection: barrier.seal('{}', `destinations/${definition.type}/x`),
      granularity: 'secret-path',
      template: null,
      custom_tags: '{}',
      network: JSON.stringify({
        allowed_ipv4_addresses: [],
        allowed_ipv6_addresses: [],
        allowed_ports: [],
        disable_strict_networking: false,
      }),
      adopt: false,
      updated_at: new Date(),
      purge_initiated_at: null,
      purge_error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Drivers that only count how many of them were opened and closed. */
async function kept(clock: Clock = systemClock) {
  const store = ending(await testStore());
  const counts = { opened: 0, closed: 0 };
  const openDriver = (): Driver => {
    counts.opened += 1;
    const close = async () => {
      counts.closed += 1;
    };
    return {
      put: async () => ({ remoteVersion: null }),
      remove: async () => {},
      inspect: async () => undefined,
      check: async () => [],
      close,
    };
  };
  const timeouts = { connectMs: 1_000, requestMs: 1_000 };
  const credentialFiles = { folder: undefined, endpoints: [] };
  const drivers = keepDrivers(
    { definition, openDriver },
    { store, clock, log: silentLog, timeouts, networkBounds: readBounds('all'), credentialFiles },
  );
  return { drivers, counts, id: await newDestination(store) };
}

test('a driver is kept, and reopened when its settings have changed', async () => {
  const { drivers, counts, id } = await kept();
  await (await drivers.open(id, 1))?.close();
  await (await drivers.open(id, 1))?.close();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await (await drivers.open(id, 2))?.close();
  await expect.poll(() => counts).toEqual({ opened: 2, closed: 1 });
  await drivers.close();
  expect(counts).toEqual({ opened: 2, closed: 2 });
});

test('a driver in use is not closed, neither for new settings nor to make room for others', async () => {
  const { drivers, counts, id } = await kept();
  const [old, other] = [await drivers.open(id, 1), await drivers.open(id, 1)];
  const renewed = await drivers.open(id, 2);
  for (let others = 1; others <= 300; others += 1) await drivers.open(String(1_000_000 + others), 1);
  expect(counts).toEqual({ opened: 2, closed: 0 });
  await old?.close();
  await old?.close();
  await renewed?.close();
  await expect.poll(() => counts.closed).toBe(1);
  await other?.close();
  await expect.poll(() => counts.closed).toBe(2);
  await drivers.close();
  expect(counts.closed).toBe(2);
});

test('a driver that was idle for five minutes is closed when another is opened, unless it is in use', async () => {
  let now = 0;
  const { drivers, counts, id } = await kept({ now: () => new Date(now) });
  const inUse = await drivers.open(id, 1);
  now += 300_000;
  await drivers.open('1000001', 1);
  await (await drivers.open(id, 1))?.close();
  expect(counts).toEqual({ opened: 1, closed: 0 });
  now += 300_001;
  await drivers.open('1000001', 1);
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await inUse?.close();
  await expect.poll(() => counts.closed).toBe(1);
  await (await drivers.open(id, 1))?.close();
  expect(counts).toEqual({ opened: 2, closed: 1 });
  await drivers.close();
});

test('the end of a worker closes its drivers, in use or not', async () => {
  const { drivers, counts, id } = await kept();
  await drivers.open(id, 1);
  await drivers.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test('the end of a worker closes an expired driver in use exactly once', async () => {
  let now = 1;
  const { drivers, counts, id } = await kept({ now: () => new Date(now) });
  const inUse = await drivers.open(id, 1);
  now += 300_001;
  await drivers.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
  await inUse?.close();
  await drivers.close();
  expect(counts).toEqual({ opened: 1, closed: 1 });
});
