import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const path = 'sys/sync/batches';

let [open, closed, folder, token] = ['', '', '', ''];

/** Two destinations with two failed syncs each, and a caller who may read those of one of them, and its secrets. */
beforeAll(async () => {
  [open, closed, folder] = [await service.destination(type), await service.destination(type), service.name('folder')];
  service.fake(type).fail({ kind: 'denied', times: 1_000 });
  for (const name of [open, closed])
    for (const index of [1, 2])
      await service.set(type, name, await service.secret({ v: '1' }, `${folder}/${name}/${index}`));
  service.fake(type).heal();
  const policy = service.name('half');
  await service.api.write(`sys/policies/acl/${policy}`, {
    policy: `path "sys/sync/*" { capabilities = ["read", "list", "update", "delete"] }
             path "sys/sync/destinations/*" { capabilities = ["update"] }
             path "sys/sync/destinations/${type}/${open}/associations" { capabilities = ["read"] }
             path "secret/data/${folder}/${open}/*" { capabilities = ["read"] }`,
  });
  const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
  token = (made.body['auth'] as { readonly client_token: string }).client_token;
});

const asked = (method: string, at: string, body?: object) =>
  service.ask(method, at, body, { headers: { 'x-service-token': token } });
const start = (body: object) => asked('POST', path, body);
const replay = { action: 'replay', kind: 'permission' };

describe('a dry run', () => {
  test('counts only where the caller may read the associations', async () => {
    const counts = [{ type, name: open, status: 'CLIENT_SIDE_ERROR', count: 2 }];
    for (const body of [
      replay,
      { ...replay, name: open },
      { action: 'set', all: true },
      { action: 'remove', all: true },
    ])
      expect(await start({ ...body, dry_run: true })).toMatchObject({ status: 200, data: { total: 2, counts } });
    const whole = await service.ask('POST', path, { ...replay, mount: 'secret', prefix: folder, dry_run: true });
    expect(whole.data).toMatchObject({ total: 4 });
  });

  test('does not know the name of another destination', async () => {
    const words = `no destination is called ${JSON.stringify(closed)}`;
    const refused = await start({ ...replay, name: closed, dry_run: true });
    expect([refused.status, refused.errors.join()]).toEqual([400, expect.stringContaining(words)]);
    const remove = `sys/sync/destinations/${type}/${closed}/associations/remove`;
    const removed = await asked('POST', remove, { mount: 'secret', secret_prefix: folder, dry_run: true });
    expect([removed.status, removed.text.includes('"total"')]).toEqual([400, false]);
  });

  test('of set and remove is refused like the batch, and names no secret', async () => {
    const secret = await service.secret({ v: '1' });
    await service.set(type, open, secret);
    for (const action of ['set', 'remove']) {
      const refused = await start({ action, name: open, dry_run: true });
      expect([refused.status, refused.text.includes(secret)]).toEqual([403, false]);
    }
    await service.remove(type, open, secret);
  });

  test('of associations that are set tells how many are new only to callers who may read those of the destination', async () => {
    const set = (name: string) =>
      asked('POST', `sys/sync/destinations/${type}/${name}/associations/set`, {
        mount: 'secret',
        secret_prefix: `${folder}/${open}/`,
        dry_run: true,
      });
    expect((await set(open)).data).toMatchObject({ total: 2, new: 0 });
    expect((await set(closed)).data).toEqual({ dry_run: true, total: 2, would_change: 2, never_synced: 0 });
  });
});

test('a batch that concerns other destinations is neither shown nor listed nor canceled', async () => {
  const begin = async (body: object) => {
    const { status, data, text } = await service.ask('POST', path, { ...replay, rate: 0.01, ...body });
    expect(status, text).toBe(202);
    return String(data['id']);
  };
  const hidden = [await begin({ name: closed }), await begin({ type, name: closed }), await begin({ type })];
  const shown = [await begin({ name: open }), await begin({ type, name: open })];
  const listed = (await asked('LIST', path)).data['keys'] as readonly string[];
  expect(listed.toSorted()).toEqual(shown.toSorted());
  for (const id of shown) expect((await asked('GET', `${path}/${id}`)).status).toBe(200);
  for (const id of hidden)
    for (const [method, at] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
    ] as const)
      expect((await asked(method, `${path}/${id}${at}`)).status).toBe(404);
  for (const id of [...hidden, ...shown])
    expect((await service.ask('DELETE', `${path}/${id}`)).data).toMatchObject({ state: 'canceled' });
});

test('whoever starts a batch over destinations that he may not read gets its id without numbers', async () => {
  const wide = await start({ ...replay, type, rate: 0.01 });
  expect(wide.data).toEqual({ id: expect.any(String), action: 'replay', state: 'running' });
  expect(wide.body['warnings']).toEqual([expect.stringContaining('may not read')]);
  await service.ask('DELETE', `${path}/${String(wide.data['id'])}`);
  const own = await start({ ...replay, name: open, rate: 0.01 });
  expect(own.data).toMatchObject({ total: 2 });
  await service.ask('DELETE', `${path}/${String(own.data['id'])}`);
});

test('a rule shows only destinations whose associations the caller may read', async () => {
  const rule = service.name('rule');
  const destinations = [`${type}/${open}`, `${type}/${closed}`];
  await service.api.write(`sys/sync/rules/${rule}`, { mount: 'secret', prefix: service.name('none'), destinations });
  const read = await asked('GET', `sys/sync/rules/${rule}`);
  expect(read.data).toMatchObject({ name: rule, destinations: [`${type}/${open}`] });
  const list = await asked('LIST', 'sys/sync/rules');
  expect(list.data['key_info']).toMatchObject({ [rule]: { destinations: [`${type}/${open}`] } });
  expect(list.text).not.toContain(closed);
  expect((await service.ask('GET', `sys/sync/rules/${rule}`)).data['destinations']).toHaveLength(2);
  await service.ask('DELETE', `sys/sync/rules/${rule}`);
  await eventually(async () => {
    await service.sweep();
    return (await service.ask('GET', `sys/sync/rules/${rule}`)).status === 404;
  });
});
