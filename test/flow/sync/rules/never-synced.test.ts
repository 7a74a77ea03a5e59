import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ruled } from './ruled.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { read, settled, made, names } = ruled(service);

const metadata = (secret: string, pairs: object, method = 'POST') =>
  service.ask(method, `secret/metadata/${secret}`, { custom_metadata: pairs }, patching(method));
const patching = (method: string) =>
  method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {};
const setMany = (name: string, body: object) =>
  service.ask('POST', `sys/sync/destinations/${type}/${name}/associations/set`, { mount: 'secret', ...body });

describe('a secret whose custom metadata says "sync": "never"', () => {
  test('cannot be associated', async () => {
    const [secret, name] = [await service.secret({ v: '1' }), await service.destination(type)];
    await metadata(secret, { sync: 'never' });
    const refused = await setMany(name, { secret_name: secret });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('is never synced')]);
    await metadata(secret, { sync: 'always' });
    expect((await setMany(name, { secret_name: secret })).status).toBe(200);
  });

  test.each(['POST', 'PATCH'])(
    'loses its copies when the metadata is written by %s, and a second time nothing',
    async (method) => {
      const [secret, name] = [await service.secret({ v: '1' }), await service.destination(type)];
      await service.set(type, name, secret);
      const first = await metadata(secret, { sync: 'never' }, method);
      expect(first.body['warnings']).toEqual([expect.stringContaining('the copy at 1 destination')]);
      const second = await metadata(secret, { sync: 'never' }, method);
      expect([second.status, second.body['warnings']]).toEqual([204, undefined]);
      await service.untilQuiet();
      expect(await names(type, name)).toEqual([]);
      await metadata(secret, { sync: 'again' }, method);
      await service.ask('POST', `secret/data/${secret}`, { data: { v: '2' } });
      await service.untilQuiet();
      expect(await names(type, name)).toEqual([]);
    },
  );

  test('is left out when many are associated, and counted', async () => {
    const [folder, name] = [service.name('many'), await service.destination(type)];
    for (const one of ['a', 'b', 'c']) await service.secret({ v: one }, `${folder}/${one}`);
    await metadata(`${folder}/b`, { sync: 'never' });
    for (const some of [
      { secret_prefix: folder },
      { secret_names: ['a', 'b', 'c'].map((one) => `${folder}/${one}`) },
    ]) {
      const { data } = await setMany(name, { ...some, dry_run: true });
      expect(data).toEqual({ dry_run: true, total: 2, would_change: 2, new: 2, never_synced: 1 });
    }
    const { data, body } = await setMany(name, { secret_prefix: folder });
    expect(data).toMatchObject({ total: 2 });
    expect(body['warnings']).toEqual([expect.stringContaining('1 of 3 secrets')]);
    await metadata(`${folder}/c`, { sync: 'never' });
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a`]);
  });

  test('is selected by no rule', async () => {
    const [folder, name] = [service.name('many'), await service.destination(type)];
    for (const one of ['a', 'b']) await service.secret({ v: one }, `${folder}/${one}`);
    await metadata(`${folder}/b`, { sync: 'never' });
    const rule = await made({ prefix: folder, destinations: [`${type}/${name}`] });
    expect(await names(type, name)).toEqual([`${folder}/a`]);
    await metadata(`${folder}/a`, { sync: 'never' });
    await metadata(`${folder}/b`, { sync: 'again' });
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/b`]);
    expect(await read(rule)).toMatchObject({ state: 'active', counts: { total: 1 } });
  });
});
