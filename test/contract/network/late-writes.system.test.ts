import { sql } from 'kysely';
import { describe, type TestContext, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import type { DestinationDefinition, Driver } from '#destinations/contract.ts';
import type { Fake } from '#destinations/fake.ts';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver } from '#destinations/load.ts';
import { readBounds } from '#network/bounds.ts';
import { factsOf } from '../../support/facts.ts';
import { only, statuses } from '../../support/flow/associations.ts';
import { until } from '../../support/flow/ground.ts';
import { serviceOf } from '../../support/flow/open-service.ts';
import { outsideWorker } from '../../support/outside-worker.ts';
import { calm, connect } from '../support/stand.ts';
import { startHoldingProxy } from './holding-proxy.ts';

const service = serviceOf(undefined, {
  KEYFERRY_SYNC_REQUEST_MS_MAX: '1500',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '8000',
  KEYFERRY_SYNC_LOCK_MS: '12000',
  // Long enough for a slow machine to push the newer value before the first recheck.
  KEYFERRY_SYNC_RECHECK_MS: '10000',
  KEYFERRY_SYNC_WAIT_MS: '20000',
});
vi.setConfig({ testTimeout: 180_000 });

describe.concurrent.each(definitions)('a call that $type applies late', (definition) => {
  const { type } = definition;
  const { putsRefused, removalsRefused } = factsOf(type).lateWrites;

  test('a late put does not persist over a newer one', async (context) => {
    const { expect } = context;
    const { proxy, destinationName } = await scene(context, definition, { granularity: 'secret-path' });
    const secret = await service.secret({ v: '1' });
    const { external_name: name } = only(await service.set(type, destinationName, secret));
    const value = () => service.fake(type).objects().get(name)?.value;

    proxy.hold('write', 1);
    await service.secret({ v: '2' }, secret);
    await until(() => proxy.held() === 1);
    await service.secret({ v: '3' }, secret);
    await until(() => value() === '{"v":"3"}');
    await untilSynced(type, destinationName, secret);

    await proxy.release();
    expect(value()).toBe(putsRefused ? '{"v":"3"}' : '{"v":"2"}');
    await untilRechecked(destinationName);
    expect(value()).toBe('{"v":"3"}');
    expect(statuses(await service.associations(type, destinationName, secret))).toEqual(['SYNCED']);
  });

  test('late puts of many keys do not persist over newer ones', async (context) => {
    const { expect } = context;
    const { proxy, destinationName, inOneCall } = await scene(context, definition, { granularity: 'secret-key' });
    const keys = ['ka', 'kb', 'kc'];
    const secret = await service.secret(all(keys, '1'));
    const names = (await service.set(type, destinationName, secret)).map((record) => record.external_name);
    const values = () => names.map((name) => service.fake(type).objects().get(name)?.value);

    proxy.hold('write', inOneCall ? 1 : keys.length);
    await service.secret(all(keys, '2'), secret);
    await until(() => proxy.held() > 0);
    await service.secret(all(keys, '3'), secret);
    // With one call per key, some calls of the first round got through.
    await until(() => values().every((value) => value === '3'));
    await untilSynced(type, destinationName, secret);

    await proxy.release();
    if (!putsRefused) expect(values()).toContain('2');
    await untilRechecked(destinationName);
    expect(values()).toEqual(['3', '3', '3']);
  });

  test('a late first put does not bring the object back after its removal', async (context) => {
    const { expect } = context;
    const { proxy, destinationName, isThere } = await scene(context, definition, { granularity: 'secret-path' });
    const secret = await service.secret({ v: '1' });

    proxy.hold('write', 1);
    const set = service.set(type, destinationName, secret);
    await until(() => proxy.held() === 1);
    expect(statuses(await service.remove(type, destinationName, secret))).toEqual(['UNSYNCED']);
    await set;
    const [name = ''] = await tombstones(destinationName);
    expect(await isThere(name)).toBe(false);
    expect(await service.associations(type, destinationName)).toEqual([]);

    await proxy.release();
    expect(await isThere(name)).toBe(true);
    await untilRechecked(destinationName);
    expect(await isThere(name)).toBe(false);
    expect(await service.associations(type, destinationName)).toEqual([]);
  });

  test('a late removal does not remove the object after it was set again', async (context) => {
    const { expect } = context;
    const { proxy, destinationName, isThere } = await scene(context, definition, { granularity: 'secret-path' });
    const secret = await service.secret({ v: '1' });
    const { external_name: name } = only(await service.set(type, destinationName, secret));

    proxy.hold('removal', 1);
    const removed = service.remove(type, destinationName, secret);
    await until(() => proxy.held() === 1);
    expect(statuses(await service.set(type, destinationName, secret))).toEqual(['SYNCED']);
    await removed;
    expect(await isThere(name)).toBe(true);

    await proxy.release();
    expect(await isThere(name)).toBe(removalsRefused === true);
    await untilRechecked(destinationName);
    expect(await isThere(name)).toBe(true);
    expect(service.fake(type).objects().get(name)?.value).toBe('{"v":"1"}');
  });
});

const all = (keys: readonly string[], value: string) => Object.fromEntries(keys.map((key) => [key, value]));

/** A destination behind its own proxy. `isThere` bypasses the proxy. */
async function scene({ onTestFinished }: TestContext, definition: DestinationDefinition, changes: object) {
  const { type } = definition;
  const fake = service.fake(type);
  const proxy = await startHoldingProxy(fake);
  onTestFinished(() => proxy.close());
  const destinationName = await service.destination(type, { ...proxy.destination, ...changes });
  const driver = await directDriver(definition, fake);
  onTestFinished(() => driver.close());
  const isThere = async (name: string) => (await driver.inspect(name, calm)) !== undefined;
  return { proxy, destinationName, isThere, inOneCall: driver.putMany !== undefined };
}

async function directDriver(definition: DestinationDefinition, { destination }: Fake): Promise<Driver> {
  const openDriver = await loadDriver(definition.type);
  const pem = destination['tls_ca_cert'];
  return openDriver(connect(definition, destination), {
    network: toPolicy(
      z.object(networkFields).parse(destination),
      typeof pem === 'string' ? pem : undefined,
      readBounds('all'),
    ),
    timeouts: { connectMs: 10_000, requestMs: 10_000 },
    clock: systemClock,
    log: silentLog,
    app: async () => undefined,
    ...outsideWorker,
  });
}

const untilSynced = (type: string, destinationName: string, secret: string) =>
  until(async () => {
    const records = statuses(await service.associations(type, destinationName, secret));
    return records.length > 0 && records.every((status) => status === 'SYNCED');
  });

/** The names of removed objects that are still recorded. */
async function tombstones(destinationName: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select o.external_name as name from sync_objects o join destinations d on d.id = o.destination_id
     where d.name = ${destinationName} and o.removed_at is not null`.execute(service.store.db);
  return rows.map(({ name }) => name);
}

/** Sweeps until no call with an unknown outcome is recorded. */
async function untilRechecked(destinationName: string): Promise<void> {
  await until(async () => {
    await service.sweep();
    const { rows } = await sql<{ open: boolean }>`
      select exists(select 1 from associations a join destinations d on d.id = a.destination_id
                     where d.name = ${destinationName} and (a.unconfirmed_at is not null or a.desired = 'absent'
                       or a.generation > a.observed_generation)) as open`.execute(service.store.db);
    return rows[0]?.open === false;
  });
}
