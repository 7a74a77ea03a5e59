import { describe, expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { ruled } from './ruled.ts';

const [type, other] = ['cloud-a-sm', 'cloud-b-kv'];
const service = serviceOf([type, other]);
const { at, read, settled, store, made, records, names } = ruled(service);

const metadata = (secret: string, custom_metadata: object) =>
  service.ask('POST', `secret/metadata/${secret}`, { custom_metadata });

describe('a standing rule', () => {
  test('associates what it selects, now and as it is written, and ends it with what it no longer selects', async () => {
    const [folder, one, two] = [service.name('app'), await service.destination(type), await service.destination(other)];
    await service.secret({ v: '1' }, `${folder}/a/db`);
    await service.secret({ v: '1' }, `${folder}/a/other`);
    const destinations = [`${other}/${two}`, `${type}/${one}`];
    const rule = await made({ prefix: `${folder}/`, glob: '**/db', destinations });
    expect(await names(type, one)).toEqual([`${folder}/a/db`]);
    expect(await names(other, two)).toEqual([`${folder}/a/db`]);
    await service.secret({ v: '2' }, `${folder}/b/c/db`);
    await service.secret({ v: '2' }, `${folder}/b/c/no`);
    await settled();
    expect(await names(type, one)).toEqual([`${folder}/a/db`, `${folder}/b/c/db`]);
    await service.ask('DELETE', `secret/metadata/${folder}/a/db`);
    await settled();
    expect(await names(other, two)).toEqual([`${folder}/b/c/db`]);
    expect(await read(rule)).toMatchObject({
      state: 'active',
      counts: { total: 2, synced: 2 },
      destinations: [`${type}/${one}`, `${other}/${two}`],
      progress: { evaluating: false, looked: 2, total: 2, share: 1 },
    });
  });

  test('follows custom metadata: all pairs have to be equal', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    for (const secret of ['both', 'one']) await service.secret({ v: secret }, `${folder}/${secret}`);
    await metadata(`${folder}/both`, { team: 'a', stage: 'prod', more: 'x' });
    await metadata(`${folder}/one`, { team: 'a' });
    await made({ prefix: folder, custom_metadata: { team: 'a', stage: 'prod' }, destinations: [`${type}/${name}`] });
    expect(await names(type, name)).toEqual([`${folder}/both`]);
    await metadata(`${folder}/one`, { team: 'a', stage: 'prod' });
    await metadata(`${folder}/both`, { team: 'b', stage: 'prod' });
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/one`]);
  });

  test('that is changed ends what it no longer selects, also at a destination that it no longer has', async () => {
    const [folder, one, two] = [service.name('app'), await service.destination(type), await service.destination(other)];
    for (const secret of ['a/x', 'b/x']) await service.secret({ v: secret }, `${folder}/${secret}`);
    const rule = await made({ prefix: `${folder}/`, destinations: [`${type}/${one}`, `${other}/${two}`] });
    await made({ prefix: `${folder}/b`, destinations: [`${other}/${two}`] }, rule);
    expect([await names(type, one), await names(other, two)]).toEqual([[], [`${folder}/b/x`]]);
  });

  test('can have a template and a granularity of its own, and sets its associations again with new ones', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    await service.secret({ user: 'u', password: 'p' }, `${folder}/x`);
    const fields = { prefix: `${folder}/`, destinations: [`${type}/${name}`] };
    const external = async () =>
      (await records(type, name)).flatMap(({ entries }) => entries.map(({ external_name }) => external_name)).sort();
    const rule = await made({ ...fields, secret_name_template: `${folder}-{{ .SecretBaseName }}` });
    expect(await external()).toEqual([`${folder}-x`]);
    const split = { granularity: 'secret-key', secret_name_template: `${folder}-{{ .SecretKey }}` };
    await made({ ...fields, ...split }, rule);
    expect(await external()).toEqual([`${folder}-password`, `${folder}-user`]);
    const { data } = await service.ask('POST', 'sys/sync/batches', { action: 'set', name, rule });
    expect(data['total']).toBe(1);
    await settled();
    expect(await external()).toEqual([`${folder}-password`, `${folder}-user`]);
    expect(await records(type, name)).toMatchObject([{ rule }]);
  });

  test('that is deleted ends its associations, or keeps them as if a request had made them', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    await service.secret({ v: '1' }, `${folder}/x`);
    const fields = { prefix: `${folder}/`, destinations: [`${type}/${name}`] };
    const kept = await made(fields);
    expect((await service.ask('DELETE', `${at(kept)}?keep=true`)).data['state']).toBe('deleting');
    expect((await store(kept, fields)).status).toBe(400);
    await settled();
    expect((await service.ask('GET', at(kept))).status).toBe(404);
    expect(await records(type, name)).toMatchObject([{ secret_name: `${folder}/x`, rule: null, status: 'SYNCED' }]);
    await service.remove(type, name, `${folder}/x`);
    const ended = await made(fields);
    expect(await records(type, name)).toMatchObject([{ rule: ended }]);
    for (const _twice of [1, 2]) expect((await service.ask('DELETE', at(ended))).status).toBe(202);
    await settled();
    expect((await service.ask('GET', at(ended))).status).toBe(404);
    expect(await names(type, name)).toEqual([]);
    expect((await service.ask('DELETE', at(ended))).status).toBe(404);
  });

  test('leaves alone what a request has set, before or after it', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    for (const secret of ['before', 'after']) await service.secret({ v: secret }, `${folder}/${secret}`);
    await service.set(type, name, `${folder}/before`);
    const rule = await made({ prefix: `${folder}/`, destinations: [`${type}/${name}`] });
    expect((await records(type, name)).map((one) => one.rule)).toEqual([rule, null]);
    await service.set(type, name, `${folder}/after`);
    await service.ask('DELETE', at(rule));
    await settled();
    expect((await records(type, name)).map((one) => one.rule)).toEqual([null, null]);
  });

  test('takes over what another rule made and no longer selects', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    await service.secret({ v: '1' }, `${folder}/x`);
    const fields = { prefix: `${folder}/`, destinations: [`${type}/${name}`] };
    const first = await made(fields);
    const second = await made(fields);
    expect(await records(type, name)).toMatchObject([{ rule: first, status: 'SYNCED' }]);
    const { data } = await service.ask('GET', `sys/sync/records?rule=${second}`);
    expect(data['records']).toEqual([]);
    await service.ask('DELETE', at(first));
    await settled();
    expect(await records(type, name, `&rule=${second}`)).toMatchObject([{ rule: second, status: 'SYNCED' }]);
  });

  test('shows what it would set and unset, and changes nothing', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    for (const secret of ['a/x', 'b/x', 'b/hand']) await service.secret({ v: secret }, `${folder}/${secret}`);
    await service.set(type, name, `${folder}/b/hand`);
    const destinations = [`${type}/${name}`];
    const dry = await store(service.name('rule'), { prefix: `${folder}/a`, destinations, dry_run: true });
    expect(dry).toMatchObject({
      status: 200,
      data: { dry_run: true, selected: 1, would_set: 1, would_unset: 0, set: [{ secret_name: `${folder}/a/x` }] },
    });
    const rule = await made({ prefix: `${folder}/a`, destinations });
    const changed = await store(rule, { prefix: `${folder}/b`, destinations, dry_run: true });
    expect(changed.data).toEqual({
      dry_run: true,
      selected: 2,
      exact: true,
      would_set: 1,
      would_unset: 1,
      set: [{ secret_name: `${folder}/b/x`, destination: `${type}/${name}` }],
      unset: [{ secret_name: `${folder}/a/x`, destination: `${type}/${name}` }],
    });
    await settled();
    expect(await names(type, name)).toEqual([`${folder}/a/x`, `${folder}/b/hand`]);
    expect(await read(rule)).toMatchObject({ prefix: `${folder}/a` });
  });

  test('reports a name that is taken at its associations, and goes on with the others', async () => {
    const [folder, name] = [service.name('app'), await service.destination(type)];
    for (const secret of ['a', 'b']) await service.secret({ v: secret }, `${folder}/${secret}`);
    const fixed = { secret_name_template: `${folder}-same` };
    const rule = await made({ prefix: `${folder}/`, destinations: [`${type}/${name}`], ...fixed });
    expect(await read(rule)).toMatchObject({ state: 'active', counts: { total: 2, synced: 1, failed: 1 } });
  });

  test('says that its mount was deleted, and ends what it made there', async () => {
    const [mount, name] = [service.name('mount'), await service.destination(type)];
    await service.ask('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } });
    await service.ask('POST', `${mount}/data/x`, { data: { v: '1' } });
    const rule = await made({ mount, prefix: '/', destinations: [`${type}/${name}`] });
    expect(await names(type, name)).toEqual(['x']);
    await service.ask('DELETE', `sys/mounts/${mount}`);
    await settled();
    expect(await names(type, name)).toEqual([]);
    expect(await read(rule)).toMatchObject({ state: 'suspended', reason: 'its mount was deleted', mount });
  });
});

test('rules are listed, and only those of the namespace', async () => {
  const [folder, name] = [service.name('app'), await service.destination(type)];
  const rule = await made({ prefix: folder, destinations: [`${type}/${name}`] });
  const { data } = await service.ask('LIST', 'sys/sync/rules');
  expect(data['key_info']).toMatchObject({ [rule]: { mount: 'secret', prefix: folder, state: 'active' } });
  await service.ask('POST', `sys/namespaces/${folder}`);
  expect((await service.ask('LIST', `${folder}/sys/sync/rules`)).status).toBe(404);
  expect((await service.ask('GET', `${folder}/${at(rule)}`)).status).toBe(404);
  expect((await service.ask('DELETE', `${folder}/${at(rule)}`)).status).toBe(404);
  expect((await service.ask('GET', `${folder}/sys/sync/records?rule=${rule}`)).status).toBe(400);
  const foreign = await service.ask('POST', `${folder}/${at('own')}`, {
    mount: 'secret',
    prefix: '/',
    destinations: [`${type}/${name}`],
  });
  expect(foreign.status).toBe(400);
});

test.each([
  [{}, 'all empty'],
  [{ prefix: 'a', destinations: [] }, 'destinations cannot be empty'],
  [{ prefix: 'a', destinations: ['no-slash'] }, 'is not type/name'],
  [{ prefix: 'a', destinations: ['no-type/x'] }, 'unknown destination type'],
  [{ prefix: 'a', destinations: [`${type}/no-such`] }, 'no destination'],
  [{ prefix: 'a', mount: 'no-such-mount' }, 'no mount at'],
  [{ prefix: 'a', mount: 'cubbyhole' }, 'can be synced'],
  [{ prefix: 'a', granularity: 'secret-key', secret_name_template: 'same' }, 'SecretKey'],
  [{ prefix: 'a', secret_name_template: '{{ nope' }, 'secret_name_template is invalid'],
  [{ prefix: 'a', unknown: 1 }, 'unknown'],
])('a rule with %j is refused', async (fields, text) => {
  const destinations = [`${type}/${await service.destination(type)}`];
  const reply = await store(service.name('rule'), { destinations, ...fields });
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(text)]);
});
