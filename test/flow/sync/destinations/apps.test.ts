import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { only, statuses } from '#test/support/flow/associations.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'repo-host';
const service = serviceOf([type]);
const host = () => service.fake<RepoHostFake>(type);
const at = (name: string) => `sys/sync/github-apps/${name}`;

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    fingerprint: `SHA256:${createHash('sha256').update(der).digest('base64')}`,
  };
}

/** A destination that logs in with an app of this name. */
const withApp = (app: string) =>
  service.destination(type, { ...host().appDestination, access_token: undefined, app_name: app });

describe('an app of a repository host', () => {
  test('is written, read with its key masked, listed, written again and deleted', async () => {
    const [name, key] = [service.name('app'), newKey()];
    const shown = { app_id: 4711, fingerprint: key.fingerprint, name, private_key: '*****' };
    const written = await service.ask('POST', at(name), { app_id: '4711', private_key: key.pem });
    expect(written).toMatchObject({ status: 200, body: { mount_type: 'system' } });
    expect(written.data).toEqual(shown);
    expect((await service.ask('GET', at(name))).data).toEqual(shown);
    expect((await service.ask('LIST', 'sys/sync/github-apps')).data).toEqual({ keys: expect.arrayContaining([name]) });

    const other = newKey();
    const replaced = await service.ask('POST', at(name), { app_id: 4712, private_key: other.pem });
    expect(replaced.data).toMatchObject({ app_id: 4712, fingerprint: other.fingerprint });

    for (const _ of [1, 2]) expect((await service.ask('DELETE', at(name))).status).toBe(204);
    expect((await service.ask('GET', at(name))).status).toBe(404);
  });

  test.each([
    ['no PEM', 'MIIEow-my-very-own-key', 'private_key cannot be read'],
    [
      'a broken PEM',
      '-----BEGIN RSA PRIVATE KEY-----\nbXktdmVyeS1vd24ta2V5\n-----END RSA PRIVATE KEY-----',
      'cannot be read',
    ],
    [
      'a key of another kind',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'ed25519',
    ],
  ])('with %s is refused, and the key is not echoed', async (_what, private_key, text) => {
    const name = service.name('bad');
    const answer = await service.ask('POST', at(name), { app_id: '1', private_key });
    expect(answer.status).toBe(400);
    expect(answer.errors.join()).toContain(text);
    for (const line of private_key.split('\n').filter((one) => !one.startsWith('-----') && one !== '')) {
      expect(answer.text).not.toContain(line);
    }
    expect((await service.ask('GET', at(name))).status).toBe(404);
  });

  test.each([['x'], ['-1'], ['0'], ['1.5'], ['']])('with app_id %j is refused', async (app_id) => {
    const { status, errors } = await service.ask('POST', at(service.name('bad')), {
      app_id,
      private_key: newKey().pem,
    });
    expect(status).toBe(400);
    expect(errors.join()).toContain('app_id must be the number of the app');
  });

  test('without a field is refused by its name', async () => {
    const { status, errors } = await service.ask('POST', at(service.name('bad')), { app_id: '1' });
    expect(status).toBe(400);
    expect(errors).toEqual(['Field validation failed: missing required field "private_key"']);
  });
});

describe('a destination that logs in with an app', () => {
  test('works, and shows the name of the app but no key', async () => {
    const name = service.name('app');
    await service.ask('POST', at(name), host().app);
    const destinationName = await withApp(name);
    const { data } = await service.ask('GET', `sys/sync/destinations/${type}/${destinationName}`);
    expect(data).toMatchObject({ connection_details: { app_name: name, installation_id: expect.any(Number) } });
    const secret = await service.secret({ key: 'value' });
    const record = only(await service.set(type, destinationName, secret));
    expect(record.sync_status).toBe('SYNCED');
    expect(host().objects().get(record.external_name)?.value).toBe('value');
  });

  test('prevents the deletion of its app, whose error names it', async () => {
    const name = service.name('app');
    await service.ask('POST', at(name), host().app);
    const destinationName = await withApp(name);
    const { status, errors } = await service.ask('DELETE', at(name));
    expect(status).toBe(400);
    expect(errors.join()).toContain(`in use by the destinations ${type}/${destinationName}`);
    await service.ask('DELETE', `sys/sync/destinations/${type}/${destinationName}`);
    expect((await service.ask('DELETE', at(name))).status).toBe(204);
  });

  test('fails with a wrong key, and a new one reaches open connections and repairs failed syncs', async () => {
    const name = service.name('app');
    await service.ask('POST', at(name), { ...host().app, private_key: newKey().pem });
    const destinationName = await withApp(name);
    const secret = await service.secret({ key: 'value' });
    expect(only(await service.set(type, destinationName, secret))).toMatchObject({
      sync_status: 'CLIENT_SIDE_ERROR',
      error: { kind: 'credentials' },
    });
    await service.ask('POST', at(name), host().app);
    await service.untilQuiet();
    expect(statuses(await service.associations(type, destinationName))).toEqual(['SYNCED']);
  });
});
