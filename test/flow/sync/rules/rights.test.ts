import { describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { ruled } from './ruled.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const { at, read, settled, store, records, names, holder } = ruled(service);

const mayRead = (path: string) => `path "secret/data/${path}" { capabilities = ["read"] }\n`;
const maySet = (destination: string) =>
  `path "sys/sync/destinations/${type}/${destination}/associations/set" { capabilities = ["update"] }
   path "sys/sync/rules/*" { capabilities = ["update", "read", "delete"] }\n`;

const write = (policy: string, text: string) => service.api.write(`sys/policies/acl/${policy}`, { policy: text });

async function scene() {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  await service.secret({ v: '1' }, `${folder}/a/x`);
  const { policy, headers } = await holder(mayRead(`${folder}/a/*`) + maySet(name));
  const rule = service.name('rule');
  const set = (fields: object) => store(rule, { destinations: [`${type}/${name}`], ...fields }, { headers });
  return { folder, name, policy, headers, rule, set };
}

describe('the one who stores a rule', () => {
  test('must be allowed to read every secret that it selects, and learns no name of another', async () => {
    const { folder, set, rule } = await scene();
    await service.secret({ v: '1' }, `${folder}/b`);
    for (const dry_run of [true, false]) {
      const refused = await set({ prefix: folder, dry_run });
      expect([refused.status, refused.text]).toEqual([403, expect.not.stringContaining(`${folder}/b`)]);
    }
    expect((await service.ask('GET', at(rule))).status).toBe(404);
    expect((await set({ prefix: `${folder}/a` })).status).toBe(202);
  });

  test('must be allowed to associate secrets with each of its destinations', async () => {
    const { folder, set } = await scene();
    const closed = await service.destination(type);
    const refused = await set({ prefix: `${folder}/a`, destinations: [`${type}/${closed}`] });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining(closed)]);
  });

  test('sees the counts of destinations whose associations it may read', async () => {
    const { folder, set, rule, headers } = await scene();
    await set({ prefix: `${folder}/a` });
    await settled();
    expect((await service.ask('GET', at(rule), undefined, { headers })).data).toMatchObject({ counts: { total: 0 } });
    expect(await read(rule)).toMatchObject({ counts: { total: 1, synced: 1 } });
  });
});

describe('a rule whose owner has lost the right', () => {
  test('to read a secret is suspended and sends nothing, until the right is back', async () => {
    const { folder, name, policy, set, rule } = await scene();
    await set({ prefix: `${folder}/a` });
    await settled();
    await write(policy, maySet(name));
    await service.secret({ v: '2' }, `${folder}/a/y`);
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a/x`]);
    const suspended = await read(rule);
    expect(suspended).toMatchObject({ state: 'suspended', reason: expect.stringContaining('do not allow reading') });
    expect(suspended.reason).not.toContain(folder);
    await service.ask('POST', `secret/metadata/${folder}/a/x`, { custom_metadata: { changed: 'yes' } });
    await settled();
    expect(await records(type, name)).toMatchObject([{ secret_name: `${folder}/a/x`, rule }]);
    await write(policy, mayRead(`${folder}/a/*`) + maySet(name));
    await eventually(async () => {
      await service.sweep();
      return (await names(type, name)).length === 2;
    });
    expect(await read(rule)).toMatchObject({ state: 'active', reason: null });
  });

  test('before its first walk sends nothing at all', async () => {
    const { folder, name, policy, set, rule } = await scene();
    await set({ prefix: `${folder}/a` });
    await write(policy, mayRead('elsewhere'));
    await settled();
    expect(await names(type, name)).toEqual([]);
    expect([...service.fake(type).objects().keys()].filter((key) => key.includes(folder))).toEqual([]);
    expect(await read(rule)).toMatchObject({ state: 'suspended', counts: { total: 0 } });
  });

  test('to associate secrets with a destination is suspended too, and is active once it is stored again', async () => {
    const { folder, name, policy, set, rule } = await scene();
    await set({ prefix: `${folder}/a` });
    await settled();
    await write(policy, mayRead(`${folder}/a/*`));
    await service.secret({ v: '2' }, `${folder}/a/y`);
    await settled();
    expect(await read(rule)).toMatchObject({ state: 'suspended', reason: expect.stringContaining(name) });
    await store(rule, { prefix: `${folder}/a`, destinations: [`${type}/${name}`] });
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a/x`, `${folder}/a/y`]);
  });

  test('because its entity was disabled is suspended', async () => {
    const { folder, name, policy, rule } = await scene();
    const { data } = await service.ask('POST', 'identity/entity', { name: service.name('entity'), policies: [policy] });
    const entity = String(data['id']);
    await service.api.write('auth/token/roles/of-entity', { allowed_entity_aliases: ['*'] });
    const alias = service.name('alias');
    const listed = await service.ask('GET', 'sys/auth');
    const token = (listed.data as Record<string, { accessor: string }>)['token/'];
    await service.ask('POST', 'identity/entity-alias', {
      name: alias,
      canonical_id: entity,
      mount_accessor: token?.accessor,
    });
    const made = await service.ask('POST', 'auth/token/create/of-entity', { entity_alias: alias });
    const { client_token } = made.body['auth'] as { readonly client_token: string };
    const headers = { 'x-service-token': client_token };
    const fields = { prefix: `${folder}/a`, destinations: [`${type}/${name}`] };
    expect((await store(rule, fields, { headers })).status).toBe(202);
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a/x`]);
    await service.ask('POST', `identity/entity/id/${entity}`, { disabled: true });
    await service.secret({ v: '2' }, `${folder}/a/y`);
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a/x`]);
    expect(await read(rule)).toMatchObject({ state: 'suspended', reason: expect.stringContaining('disabled') });
  });
});
