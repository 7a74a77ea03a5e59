import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { openDriver } from '#destinations/cloud-c-sm/driver.ts';
import { definition } from '#destinations/cloud-c-sm/index.ts';
import { calm, standFor } from '../../contract/support/stand.ts';
import { openWith } from '../run/open-with.ts';
import { secretsPath } from './api.ts';

const key = (location: string) => `projects/keys/locations/${location}/keyRings/ring/cryptoKeys/key`;

const described = z.object({
  labels: z.record(z.string(), z.string()).default({}),
  replication: z.object({ userManaged: z.object({ replicas: z.array(z.unknown()) }).optional() }),
});
const listed = z.object({ versions: z.array(z.object({ name: z.string(), state: z.string() })) });

describe('the driver at the emulator', () => {
  const stand = standFor(definition);
  const credentials = z.object({ project_id: z.string() });

  /** A call of another client. */
  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const { project_id } = credentials.parse(JSON.parse(String(stand.fake.destination['credentials'])));
    const url = `${inject('trial').emulator}${secretsPath(project_id)}/${path}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    expect(response.status).toBe(200);
    return response.json();
  }

  const look = async (name: string) => described.parse(await call('GET', name));
  async function statesOf(name: string) {
    const { versions } = listed.parse(await call('GET', `${name}/versions`));
    return Object.fromEntries(versions.map((version) => [version.name.split('/').at(-1), version.state]));
  }

  test('destroys older versions with destroy_old_versions', async () => {
    const driver = openWith(definition, openDriver, stand, { destroy_old_versions: true });
    const item = stand.item(stand.name(), 'the first value');
    await driver.put(item, calm);
    await driver.put(stand.item(item.name, 'the second value', { mark: item.mark, mode: 'update' }), calm);
    await driver.put(stand.item(item.name, 'the third value', { mark: item.mark, mode: 'update' }), calm);
    expect(await statesOf(item.name)).toEqual({ 1: 'DESTROYED', 2: 'DESTROYED', 3: 'ENABLED' });
    await driver.close();
  });

  test('keeps the labels of others when its own change', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value with labels', { tags: { team: 'one' } });
    await driver.put(item, calm);
    await call('PATCH', `${item.name}?updateMask=labels`, { labels: { team: 'one', audited: 'yes' } });
    const tags = { team: 'two' };
    await driver.put(stand.item(item.name, 'the next value', { mark: item.mark, mode: 'update', tags }), calm);
    expect((await look(item.name)).labels).toEqual({ team: 'two', audited: 'yes' });
  });

  test('creates a secret in the configured locations with the configured keys', async () => {
    const locations = ['europe-west1', 'europe-west4'];
    const driver = openWith(definition, openDriver, stand, {
      replication_locations: locations,
      locational_kms_keys: Object.fromEntries(locations.map((location) => [location, key(location)])),
    });
    const item = stand.item(stand.name(), 'the value in two places');
    await driver.put(item, calm);
    const { replication } = await look(item.name);
    expect(replication.userManaged?.replicas).toEqual(
      locations.map((location) => ({ location, customerManagedEncryption: { kmsKeyName: key(location) } })),
    );
    await driver.close();
  });

  test('sees a secret whose only version is disabled as one without a version', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of a disabled version');
    const { remoteVersion } = await driver.put(item, calm);
    await call('POST', `${item.name}/versions/${remoteVersion}:disable`, {});
    expect(await driver.inspect(item.name, calm)).toEqual({ remoteVersion: null, mark: item.mark });
    await driver.put(item, calm);
    expect(await driver.inspect(item.name, calm)).toEqual({ remoteVersion: '2', mark: item.mark });
  });

  test('numbers the versions of a recreated secret from the beginning', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of the first secret');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    expect(await driver.put(item, calm)).toEqual({ remoteVersion });
    expect(await statesOf(item.name)).toEqual({ 1: 'ENABLED' });
  });
});
