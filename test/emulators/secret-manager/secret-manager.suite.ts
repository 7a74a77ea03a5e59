import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { openDriver } from '../../../lib/destinations/cloud-c-sm/driver.ts';
import { definition } from '../../../lib/destinations/cloud-c-sm/index.ts';
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

  /** By the hand of somebody else. */
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

  test('destroys the versions that are older than its own where that is asked for', async () => {
    const driver = openWith(definition, openDriver, stand, { destroy_old_versions: true });
    const item = stand.item(stand.name(), 'the first value');
    await driver.put(item, calm);
    await driver.put(stand.item(item.name, 'the second value', { mark: item.mark, mode: 'update' }), calm);
    await driver.put(stand.item(item.name, 'the third value', { mark: item.mark, mode: 'update' }), calm);
    expect(await statesOf(item.name)).toEqual({ 1: 'DESTROYED', 2: 'DESTROYED', 3: 'ENABLED' });
    await driver.close();
  });

  test('leaves the labels of others on a secret when its own change', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value with labels', { tags: { team: 'one' } });
    await driver.put(item, calm);
    await call('PATCH', `${item.name}?updateMask=labels`, { labels: { team: 'one', audited: 'yes' } });
    const tags = { team: 'two' };
    await driver.put(stand.item(item.name, 'the next value', { mark: item.mark, mode: 'update', tags }), calm);
    expect((await look(item.name)).labels).toEqual({ team: 'two', audited: 'yes' });
  });

  test('creates a secret in the locations, and with the keys, that are asked for', async () => {
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
    const item = stand.item(stand.name(), 'the value that nobody can read');
    const { remoteVersion } = await driver.put(item, calm);
    await call('POST', `${item.name}/versions/${remoteVersion}:disable`, {});
    expect(await driver.inspect(item.name, calm)).toEqual({ remoteVersion: null, mark: item.mark });
    await driver.put(item, calm);
    expect(await driver.inspect(item.name, calm)).toEqual({ remoteVersion: '2', mark: item.mark });
  });

  test('counts the versions of a secret that was made anew from the beginning', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value of the first secret');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    expect(await driver.put(item, calm)).toEqual({ remoteVersion });
    expect(await statesOf(item.name)).toEqual({ 1: 'ENABLED' });
  });
});
