import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { openDriver } from '#destinations/cloud-b-kv/driver.ts';
import { definition } from '#destinations/cloud-b-kv/index.ts';
import { calm, newMark, standFor } from '../../contract/support/stand.ts';
import { forward } from '../relay/forward.ts';
import { openWith } from '../run/open-with.ts';
import { headers, pathOf, upstreamOf } from './api.ts';

/** More than fit on one page of the list. */
const versionsMany = 27;

const bundle = z.object({ tags: z.record(z.string(), z.string()).nullish() });
const versionList = z.object({ value: z.array(z.object({ id: z.string() })) });

describe('the driver at lowkey-vault', () => {
  const stand = standFor(definition);

  /** A call of another client. Undefined for 404. */
  async function call(method: string, path: string): Promise<unknown> {
    const [vault = ''] = new URL(String(stand.fake.destination['key_vault_uri'])).host.split('.');
    const upstream = upstreamOf(inject('trial'), vault);
    const { status, body } = await forward(upstream, { method, path: pathOf(path), headers, body: '' });
    if (status === 404) return undefined;
    expect(status).toBe(200);
    return JSON.parse(body.toString());
  }

  async function tagsOfDeleted(name: string) {
    const found = await call('GET', `/deletedsecrets/${name}`);
    return found === undefined ? undefined : bundle.parse(found).tags;
  }

  /** One of our secrets, after its removal. */
  async function removed() {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that is removed');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    return item;
  }

  const versionsOf = async (name: string) => versionList.parse(await call('GET', `/secrets/${name}/versions`)).value;

  test('leaves a removed secret recoverable, with its release tag', async () => {
    const { name, mark } = await removed();
    expect(await tagsOfDeleted(name)).toEqual({ ...definition.tags.builtIn(mark), keyferry: 'removed' });
  });

  test('purges a removed secret with purge_on_delete', async () => {
    const driver = openWith(definition, openDriver, stand, { purge_on_delete: true });
    const item = stand.item(stand.name(), 'the value that is gone for good');
    const { remoteVersion } = await driver.put(item, calm);
    await driver.remove({ name: item.name, mark: item.mark, remoteVersion }, calm);
    expect(await tagsOfDeleted(item.name)).toBeUndefined();
    await driver.close();
  });

  test('recovers a removed secret with its versions, for the next owner and with only its tags', async () => {
    const { name } = await removed();
    const mark = newMark();
    await stand.open().put(stand.item(name, 'the value of the next owner', { mark }), calm);
    expect(stand.object(name)).toEqual({ value: 'the value of the next owner', tags: definition.tags.builtIn(mark) });
    expect(await versionsOf(name)).toHaveLength(2);
  });

  test('frees the name of a removed secret by a purge with purge_on_delete', async () => {
    const { name } = await removed();
    const driver = openWith(definition, openDriver, stand, { purge_on_delete: true });
    await driver.put(stand.item(name, 'the value after the purge'), calm);
    expect(await versionsOf(name)).toHaveLength(1);
    await driver.close();
  });

  test('does not recover a secret that another client deleted', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'a foreign value');
    await call('DELETE', `/secrets/${name}`);
    await stand.failure(stand.open().put(stand.item(name, 'the value of ours'), calm), 'conflict');
    expect(await tagsOfDeleted(name)).toEqual({});
  });

  test('sees the newest of more versions than a page has', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value with many versions');
    const { mark, name } = item;
    let { remoteVersion } = await driver.put(item, calm);
    for (let count = 1; count < versionsMany; count++) {
      const update = stand.item(name, `value ${count}`, { mark, mode: 'update', remoteVersion });
      ({ remoteVersion } = await driver.put(update, calm));
    }
    expect(await driver.inspect(name, calm)).toEqual({ remoteVersion, mark });
  });
});
