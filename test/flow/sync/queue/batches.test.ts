import { describe, expect, test } from 'vitest';
import { statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);
const path = 'sys/sync/batches';

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}
const start = async (body: object, options?: object) => service.ask('POST', path, body, options);
const read = async (id: string) => (await service.ask('GET', `${path}/${id}`)).data as unknown as Shown;
const untilEnded = async (id: string): Promise<Shown> => {
  let shown = await read(id);
  await eventually(
    async () => {
      await service.sweep();
      shown = await read(id);
      return shown.state !== 'running' && shown.state !== 'settling';
    },
    () => JSON.stringify(shown),
  );
  return shown;
};
/** A destination with failed copies of new secrets below `folder`. */
async function failedBelow(folder: string, count: number): Promise<string> {
  const destination = await service.destination(type);
  service.fake(type).fail({ kind: 'denied' });
  for (let index = 0; index < count; index += 1) {
    const secret = await service.secret({ v: String(index) }, `${folder}/${index}`);
    expect(statuses(await service.set(type, destination, secret))).toEqual(['CLIENT_SIDE_ERROR']);
  }
  service.fake(type).heal();
  return destination;
}

describe('a batch', () => {
  test('replays what matches and tells what became of it', async () => {
    const folder = service.name('folder');
    const name = await failedBelow(folder, 3);
    await service.secret({ v: 'later' }, `${folder}/1`);
    await service.untilQuiet();
    const dry = await start({ action: 'replay', name, kind: 'permission', dry_run: true });
    expect(dry).toMatchObject({
      status: 200,
      data: { total: 2, would_change: 2, counts: [{ type, name, status: 'CLIENT_SIDE_ERROR', count: 2 }] },
    });
    const { status, data } = await start({ action: 'replay', name, kind: ['permission'], prefix: folder });
    expect({ status, data }).toMatchObject({
      status: 202,
      data: { state: 'running', total: 2, filter: { name, kind: ['permission'], prefix: folder } },
    });
    const ended = await untilEnded(String(data?.['id']));
    expect(ended).toMatchObject({
      state: 'done',
      changed: 2,
      progress: 1,
      counts: { synced: 2, unsynced: 0, failed: 0, pending: 0, skipped: 0 },
      finished_at: expect.any(String),
    });
    expect(statuses(await service.associations(type, name))).toEqual(['SYNCED', 'SYNCED', 'SYNCED']);
    expect((await service.ask('LIST', path)).data?.['keys']).toContain(ended.id);
  });

  test('that removes needs the right to read each secret, and removes the copies', async () => {
    const folder = service.name('folder');
    const name = await service.destination(type);
    for (const index of ['a', 'b']) {
      await service.set(type, name, await service.secret({ v: index }, `${folder}/${index}`));
    }
    const policy = `path "sys/sync/batches" { capabilities = ["create", "update"] }
                    path "secret/data/${folder}/a" { capabilities = ["read"] }`;
    await service.ask('POST', 'sys/policies/acl/batcher', { policy });
    const made = await service.ask('POST', 'auth/token/create', { policies: ['batcher'] });
    const token = (made.body as { auth: { client_token: string } }).auth.client_token;
    const refused = await start({ action: 'remove', name }, { token });
    expect(refused.status).toBe(403);
    expect(refused.errors.join()).toContain('permission denied to read the content of every secret');
    expect(refused.text).not.toContain(folder);
    const named = await start({ action: 'remove', name, secret: `${folder}/b` }, { token });
    expect([named.status, named.errors.join()]).toEqual([403, expect.stringContaining(`${folder}/b`)]);
    expect(await service.associations(type, name)).toHaveLength(2);
    const started = await start({ action: 'remove', name, secret: `${folder}/a` }, { token });
    expect(started.status).toBe(202);
    const ended = await untilEnded(String(started.data?.['id']));
    expect(ended).toMatchObject({ state: 'done', counts: { unsynced: 1 } });
    expect((await service.associations(type, name)).map(({ secret_name }) => secret_name)).toEqual([`${folder}/b`]);
  });

  test('that removes stops at its limit, and so do the rights that it needs', async () => {
    const folder = service.name('folder');
    const name = await service.destination(type);
    for (const index of ['a', 'b', 'c'])
      await service.set(type, name, await service.secret({ v: index }, `${folder}/${index}`));
    const policy = service.name('first');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: `path "sys/sync/batches" { capabilities = ["update"] }
               path "sys/sync/destinations/${type}/${name}/associations" { capabilities = ["read"] }
               path "secret/data/${folder}/a" { capabilities = ["read"] }
               path "secret/data/${folder}/b" { capabilities = ["read"] }`,
    });
    const made = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    const { client_token: token } = made.body['auth'] as { readonly client_token: string };
    for (const dry_run of [true, false])
      expect((await start({ action: 'remove', name, limit: 3, dry_run }, { token })).status).toBe(403);
    expect(await start({ action: 'remove', name, limit: 2, dry_run: true }, { token })).toMatchObject({
      status: 200,
      data: { total: 2, total_is_exact: false, would_change: 2, counts: [{ type, name, status: 'SYNCED', count: 2 }] },
    });
    const started = await start({ action: 'remove', name, limit: 2 }, { token });
    expect(started).toMatchObject({ status: 202, data: { total: 2, total_is_exact: false, limit: 2 } });
    expect(await untilEnded(String(started.data['id']))).toMatchObject({ state: 'done', counts: { unsynced: 2 } });
    expect((await service.associations(type, name)).map(({ secret_name }) => secret_name)).toEqual([`${folder}/c`]);
  });

  test('changes only the records whose ids it has, within the other fields', async () => {
    const folder = service.name('folder');
    const name = await failedBelow(folder, 3);
    const records = (await service.ask('GET', `sys/sync/records?name=${name}`)).data['records'] as { id: string }[];
    const [first, second] = records.map(({ id }) => id);
    const dry = { action: 'replay', ids: [first, second], prefix: `${folder}/1`, dry_run: true };
    expect(await start(dry)).toMatchObject({ status: 200, data: { total: 1 } });
    const { status, data } = await start({ action: 'force', ids: [first, second] });
    expect({ status, data }).toMatchObject({ status: 202, data: { total: 2, filter: { ids: [first, second] } } });
    expect(await untilEnded(String(data['id']))).toMatchObject({ state: 'done', counts: { synced: 2 } });
    expect(statuses(await service.associations(type, name)).toSorted()).toEqual([
      'CLIENT_SIDE_ERROR',
      'SYNCED',
      'SYNCED',
    ]);
    for (const ids of [['x'], ['-1'], ['9'.repeat(19)], Array.from({ length: 501 }, (_, at) => String(at + 1))]) {
      const refused = await start({ action: 'force', ids });
      expect(refused.status).toBe(400);
      expect(refused.errors.join()).toContain('ids');
    }
    expect((await start({ action: 'force', ids: [] })).errors.join()).toContain('the filter is empty');
  });

  test('is canceled by DELETE and by its path, and belongs to its namespace', async () => {
    const name = await failedBelow(service.name('folder'), 1);
    await service.ask('POST', 'sys/namespaces/batches');
    for (const [method, below] of [
      ['DELETE', ''],
      ['POST', '/cancel'],
    ] as const) {
      const { data } = await start({ action: 'force', name, rate: 0.01 });
      const at = `${path}/${String(data?.['id'])}`;
      expect((await service.ask('GET', `batches/${at}`)).status).toBe(404);
      expect((await service.ask(method, `batches/${at}${below}`)).status).toBe(404);
      expect((await service.ask(method, `${at}${below}`)).data).toMatchObject({ state: 'canceled' });
      expect((await service.ask('GET', at)).data).toMatchObject({ state: 'canceled' });
    }
    await service.sweep();
    expect(statuses(await service.associations(type, name))).toEqual(['CLIENT_SIDE_ERROR']);
    expect((await service.ask('LIST', `batches/${path}`)).status).toBe(404);
    await service.ask('DELETE', 'sys/namespaces/batches');
  });

  test('is what a replay with a further filter or a bound becomes', async () => {
    const name = await failedBelow(service.name('folder'), 3);
    const replay = (body: object) => service.ask('POST', 'sys/sync/replay', { name, ...body });
    expect(await replay({ dry_run: true })).toMatchObject({ status: 200, data: { total: 3 } });
    expect(await replay({ kind: 'timeout', dry_run: true })).toMatchObject({ data: { total: 0 } });
    expect(await replay({ older_than: '1h', dry_run: true })).toMatchObject({ data: { total: 0 } });
    const { status, data } = await replay({ kind: 'permission', sync_status: 'CLIENT_SIDE_ERROR', limit: 2 });
    expect(status).toBe(202);
    const ended = await untilEnded(String(data?.['id']));
    expect(ended).toMatchObject({ state: 'done', action: 'replay', counts: { synced: 2 } });
    const refused = await replay({ limit: 2, cursor: '7' });
    expect({ status: refused.status, errors: refused.errors.join() }).toEqual({
      status: 400,
      errors: expect.stringContaining('cursor'),
    });
    expect(await replay({})).toMatchObject({ status: 200, data: { replayed: 1 } });
    await service.untilQuiet();
  });

  test('removes the secrets of a folder, or a list of them, from a destination', async () => {
    const folder = service.name('folder');
    const name = await service.destination(type);
    const at = `sys/sync/destinations/${type}/${name}/associations/remove`;
    for (const index of ['a/1', 'a/2', 'b', 'c']) {
      await service.set(type, name, await service.secret({ v: index }, `${folder}/${index}`));
    }
    const remove = (body: object) => service.ask('POST', at, { mount: 'secret', ...body });
    const left = async () => (await service.associations(type, name)).map(({ secret_name }) => secret_name).toSorted();
    const byPrefix = await remove({ secret_prefix: `${folder}/a/` });
    expect(byPrefix).toMatchObject({ status: 202, data: { action: 'remove', total: 2 } });
    expect(await untilEnded(String(byPrefix.data?.['id']))).toMatchObject({ state: 'done', counts: { unsynced: 2 } });
    expect(await left()).toEqual([`${folder}/b`, `${folder}/c`]);
    const byNames = await remove({ secret_names: [`${folder}/c`, `${folder}/unknown`] });
    expect(await untilEnded(String(byNames.data?.['id']))).toMatchObject({ state: 'done', counts: { unsynced: 1 } });
    expect(await left()).toEqual([`${folder}/b`]);
    for (const [body, rule] of [
      [{ secret_name: 'x', secret_prefix: 'y' }, 'exclude each other'],
      [{ secret_prefix: '' }, 'cannot be empty'],
      [{ secret_names: Array.from({ length: 1_001 }, String) }, 'at most 1000 entries'],
      [{}, 'missing required field "secret_name"'],
    ] as const) {
      const { status, errors } = await remove(body);
      expect({ status, errors: errors.join() }).toEqual({ status: 400, errors: expect.stringContaining(rule) });
    }
    expect(await left()).toEqual([`${folder}/b`]);
  });

  test.each([
    [{ action: 'force' }, 'the filter is empty: send all=true'],
    [{ action: 'remove', unconfirmed: false, older_than: '' }, 'the filter is empty: send all=true'],
    [{ action: 'remove', older_than: 0, status: [] }, 'the filter is empty: send all=true'],
    [{ all: true }, 'action'],
    [{ action: 'explode', all: true }, 'action must be one of replay, force, set, remove'],
    [{ action: 'force', all: true, limit: 0 }, 'limit must be at least 1'],
    [{ action: 'force', all: true, rate: 0 }, 'rate must be at least 0.01'],
    [{ action: 'force', kind: 'odd' }, 'kind "odd" is unknown'],
    [{ action: 'force', name: 'nowhere' }, 'no destination is called "nowhere"'],
    [{ action: 'force', all: true, mounts: 'x' }, 'mounts'],
  ])('refuses %o', async (body, rule) => {
    const { status, errors } = await start(body);
    expect({ status, errors: errors.join() }).toEqual({ status: 400, errors: expect.stringContaining(rule) });
  });
});
