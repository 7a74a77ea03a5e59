import { describe, expect, inject, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { openDriver } from '#destinations/cloud-a-sm/driver.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { knownOf } from '#destinations/cloud-a-sm/look/receipt.ts';
import type { Driver, OpenDriver } from '#destinations/contract.ts';
import { calm, connect, newMark, type Stand, standFor } from '../../contract/support/stand.ts';
import { outsideWorker } from '../../support/outside-worker.ts';
import { type Described, describeSecret } from './described.ts';

const account = '123456789012';

describe('the driver at moto', () => {
  const stand = standFor(definition);

  test('writes with the credentials of a role that it assumes at STS', async () => {
    const fields = { role_arn: `arn:aws:iam::${account}:role/keyferry-sync`, external_id: 'of-the-trust-policy' };
    const item = stand.item(stand.name(), 'the value that a role writes');
    await withDriver(stand, fields, (driver) => driver.put(item, calm));
    expect(stand.object(item.name)?.value).toBe('the value that a role writes');
    expect(stand.fake.calls().get('AssumeRole')).toBe(1);
  });

  test('leaves a removed secret recoverable for the configured window', async () => {
    const item = stand.item(stand.name(), 'the value that waits for its deletion');
    const days = await withDriver(stand, { recovery_window_days: 9 }, async (driver) => {
      const { remoteVersion } = await driver.put(item, calm);
      await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
      expect(await driver.inspect(item.name, calm)).toBeUndefined();
      return daysLeft(await seen(item.name));
    });
    expect(days).toBe(9);
  });

  test('deletes a secret immediately and permanently without a window', async () => {
    const item = stand.item(stand.name(), 'the value that is gone for good');
    await withDriver(stand, { recovery_window_days: 0 }, async (driver) => {
      const { remoteVersion } = await driver.put(item, calm);
      await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    });
    expect(await describeSecret(inject('trial').emulator, item.name)).toBeUndefined();
  });

  test('restores a secret that is scheduled for deletion, with only the tags of its new owner', async () => {
    const driver = stand.open();
    const owner = newMark();
    const tags = { ...definition.tags.builtIn(owner), team: 'one' };
    const first = stand.item(stand.name(), 'the value of the first owner', { mark: owner, tags });
    const { remoteVersion } = await driver.put(first, calm);
    await driver.remove({ name: first.name, mark: first.mark, remoteVersion }, calm);
    const mark = newMark();
    const next = stand.item(first.name, 'the value of the next owner', { mark });
    await driver.put(next, calm);
    expect(stand.object(first.name)).toEqual({
      value: 'the value of the next owner',
      tags: definition.tags.builtIn(mark),
    });
  });

  test('adds and removes replicas as the field says, and removes a secret with replicas', async () => {
    const item = stand.item(stand.name(), 'the value with replicas');
    const regions = async () => (await seen(item.name)).replicas;
    await withDriver(stand, { replica_regions: { 'eu-west-1': '', 'eu-west-2': '' } }, (driver) =>
      driver.put(item, calm),
    );
    expect(await regions()).toEqual(['eu-west-1', 'eu-west-2']);
    await withDriver(stand, { replica_regions: { 'eu-west-2': '', 'eu-north-1': '' } }, async (driver) => {
      const update = stand.item(item.name, 'the value with others', { mark: item.mark, mode: 'update' });
      const { remoteVersion } = await driver.put(update, calm);
      expect(await regions()).toEqual(['eu-north-1', 'eu-west-2']);
      await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
      expect(await driver.inspect(item.name, calm)).toBeUndefined();
    });
  });

  test('changes the KMS key of an existing secret', async () => {
    const item = stand.item(stand.name(), 'the value with a key');
    await stand.open().put(item, calm);
    const update = stand.item(item.name, 'the value with a key', { mark: item.mark, mode: 'update' });
    await withDriver(stand, { kms_key_id: 'alias/sync' }, (driver) => driver.put(update, calm));
    expect((await seen(item.name)).key).toBe('alias/sync');
  });

  test('adds no version when the same value is put again', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is put again and again');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.put(item, calm);
    await driver.put(item, calm);
    expect((await seen(item.name)).versions).toEqual([knownOf(remoteVersion).version]);
  });
});

/** Opens a driver from a request body, as the worker does. */
const open: OpenDriver = openDriver;

async function withDriver<T>(
  { fake, policy }: Stand,
  fields: Readonly<Record<string, unknown>>,
  run: (driver: Driver) => Promise<T>,
): Promise<T> {
  const driver = open(connect(definition, { ...fake.destination, ...fields }), {
    network: policy,
    timeouts: { connectMs: 10_000, requestMs: 10_000 },
    clock: systemClock,
    log: silentLog,
    app: async () => undefined,
    ...outsideWorker,
  });
  try {
    return await run(driver);
  } finally {
    await driver.close();
  }
}

async function seen(name: string): Promise<Described> {
  const found = await describeSecret(inject('trial').emulator, name);
  if (found === undefined) throw new Error(`the secret ${name} does not exist`);
  return found;
}

const dayMs = 24 * 60 * 60_000;
const daysLeft = ({ deletedAt }: Described): number => Math.round((deletedAt - Date.now()) / dayMs);
