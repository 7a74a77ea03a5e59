import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ruled } from './ruled.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { made, names, holder } = ruled(service);

describe('a deletion with plan', () => {
  test('tells which copies go with the secret, and deletes nothing', async () => {
    const [folder, byHand, byRule] = [
      service.name('app'),
      await service.destination(type),
      await service.destination(type, { secret_name_template: 'ruled-{{ .SecretBaseName }}' }),
    ];
    const secret = await service.secret({ v: '1' }, `${folder}/x`);
    await service.set(type, byHand, secret);
    const rule = await made({ prefix: `${folder}/`, destinations: [`${type}/${byRule}`] });
    const { status, data } = await service.ask('DELETE', `secret/metadata/${secret}?plan=1`);
    expect([status, data]).toEqual([
      200,
      {
        plan: true,
        action: 'remove',
        version: null,
        copies: [
          {
            destination: { type, name: byHand },
            external_names: [expect.stringContaining(secret)],
            status: 'SYNCED',
            rule: null,
          },
          { destination: { type, name: byRule }, external_names: ['ruled-x'], status: 'SYNCED', rule },
        ],
        total: 2,
        hidden: 0,
      },
    ]);
    expect((await service.ask('GET', `secret/data/${secret}`)).status).toBe(200);
    expect(await names(type, byHand)).toEqual([secret]);
  });

  test('of the current version tells that copies get the version before it, or go, or stay', async () => {
    const [secret, name] = [await service.secret({ v: '1' }), await service.destination(type)];
    await service.set(type, name, secret);
    await service.ask('POST', `secret/data/${secret}`, { data: { v: '2' } });
    const plan = async () => (await service.ask('DELETE', `secret/data/${secret}?plan=true`)).data;
    expect(await plan()).toMatchObject({ action: 'update', version: 1, total: 1 });
    await service.ask('POST', `secret/delete/${secret}`, { versions: [1] });
    expect(await plan()).toMatchObject({ action: 'remove', version: null, total: 1 });
    await service.ask('DELETE', `secret/data/${secret}`);
    expect(await plan()).toMatchObject({ action: 'keep', total: 1 });
  });

  test.each(['delete', 'destroy'])('of versions by %s/ tells the same, and changes no version', async (verb) => {
    const [secret, name] = [await service.secret({ v: '1' }), await service.destination(type)];
    await service.set(type, name, secret);
    for (const v of ['2', '3']) await service.ask('POST', `secret/data/${secret}`, { data: { v } });
    const plan = async (...versions: number[]) =>
      (await service.ask('POST', `secret/${verb}/${secret}`, { versions, plan: true })).data;
    expect(await plan(1, 2)).toMatchObject({ plan: true, action: 'keep', version: null, total: 1 });
    expect(await plan(2, 3)).toMatchObject({ action: 'update', version: 1, total: 1 });
    expect(await plan(1, 2, 3)).toMatchObject({ action: 'remove', version: null, total: 1 });
    const inQuery = await service.ask('POST', `secret/${verb}/${secret}?plan=1`, { versions: [3] });
    expect(inQuery.status).toBe(400);
    const { data } = await service.ask('GET', `secret/data/${secret}`);
    expect(data).toMatchObject({ data: { v: '3' } });
  });

  test('needs the right to delete, and counts copies that the caller may not know', async () => {
    const [secret, name] = [await service.secret({ v: '1' }), await service.destination(type)];
    await service.set(type, name, secret);
    const path = `secret/metadata/${secret}?plan=1`;
    const reader = await holder(`path "secret/*" { capabilities = ["read"] }`);
    expect((await service.ask('DELETE', path, undefined, { headers: reader.headers })).status).toBe(403);
    const deleter = await holder(`path "secret/metadata/*" { capabilities = ["delete"] }`);
    const { data, text } = await service.ask('DELETE', path, undefined, { headers: deleter.headers });
    expect(data).toMatchObject({ copies: [], total: 1, hidden: 1 });
    expect(text).not.toContain(name);
  });

  test('of a secret without copies is empty', async () => {
    const { data } = await service.ask('DELETE', 'secret/metadata/no-such?plan=1');
    expect(data).toMatchObject({ copies: [], total: 0, hidden: 0 });
    expect((await service.ask('DELETE', 'secret/metadata/no-such?plan=maybe')).status).toBe(400);
  });
});
