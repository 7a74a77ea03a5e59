import { describe, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { askingIn, spaceOf } from './spaces.ts';

const service = serviceOf([]);

test('a namespace may be split between header and path in any way', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  await inner.ask('POST', 'secret/data/a', { data: { of: inner.path } });
  const [one, two] = [outer.path, inner.path.slice(outer.path.length)];
  for (const [header, path] of [
    ['', `${one}${two}secret/data/a`],
    ['root', `${one}${two}secret/data/a`],
    [one, `${two}secret/data/a`],
    [one.slice(0, -1), `${two}secret/data/a`],
    [`/${one}${two}`, 'secret/data/a'],
    [inner.path, 'secret/data/a'],
  ] as const) {
    const { status, data } = await askingIn(service, header)('GET', path);
    expect([header, path, status, data['data']]).toEqual([header, path, 200, { of: inner.path }]);
  }
  expect((await service.ask('GET', `${one}secret/data/a`)).status).toBe(404);
  expect((await service.ask('GET', 'secret/data/a')).status).toBe(404);
});

test('a header with an unknown namespace is a 404 for every caller', async () => {
  for (const header of ['none', 'none/deep', 'secret']) {
    for (const token of [service.rootToken, 'hvs.none']) {
      const { status, errors } = await askingIn(service, header)('GET', 'secret/data/a', undefined, token);
      expect([status, errors]).toEqual([404, ['namespace not found']]);
    }
  }
});

test('each namespace has mounts of its own at the same paths', async () => {
  const [one, other] = [await spaceOf(service), await spaceOf(service)];
  await one.ask('POST', 'secret/data/same', { data: { of: 'one' } });
  expect((await other.ask('GET', 'secret/data/same')).status).toBe(404);
  await other.ask('POST', 'secret/data/same', { data: { of: 'other' } });
  expect((await one.ask('GET', 'secret/data/same')).data['data']).toEqual({ of: 'one' });
  const mounts = async (space: typeof one) => (await space.ask('GET', 'sys/mounts')).data;
  const accessor = async (space: typeof one) => ((await mounts(space))['secret/'] as { accessor: string }).accessor;
  expect(await accessor(one)).not.toBe(await accessor(other));
  expect(Object.keys(await mounts(one)).sort()).toEqual(['cubbyhole/', 'identity/', 'secret/', 'sys/']);
  expect((await one.ask('DELETE', 'sys/mounts/secret')).status).toBe(204);
  expect((await other.ask('GET', 'secret/data/same')).status).toBe(200);
  expect((await one.ask('POST', 'sys/mounts/moved', { type: 'kv' })).status).toBe(204);
  expect((await one.ask('POST', 'sys/remount', { from: 'moved', to: 'secret' })).status).toBe(200);
  expect(Object.keys(await mounts(one)).sort()).toEqual(['cubbyhole/', 'identity/', 'secret/', 'sys/']);
});

test('a mount and a namespace cannot have the same path', async () => {
  const space = await spaceOf(service);
  const mount = service.name('mount');
  await service.ask('POST', `sys/mounts/${mount}/deep`, { type: 'kv' });
  for (const path of [space.path.slice(0, -1), `${space.path}deep`]) {
    const { status, errors } = await service.ask('POST', `sys/mounts/${path}`, { type: 'kv' });
    expect([status, errors]).toEqual([400, [`existing namespace at ${space.path}`]]);
  }
  const { status, errors } = await service.ask('POST', `sys/namespaces/${mount}`, {});
  expect([status, errors]).toEqual([400, [`existing mount at ${mount}/deep/`]]);
  expect((await space.ask('POST', 'sys/namespaces/secret', {})).errors).toEqual(['existing mount at secret/']);
});

describe('an operation on the whole service', () => {
  test('is refused in a namespace, by header and by path', async () => {
    const space = await spaceOf(service);
    for (const [method, path] of [
      ['GET', 'sys/config/cors'],
      ['GET', 'sys/config/state/sanitized'],
      ['GET', 'sys/metrics'],
      ['GET', 'sys/key-status'],
      ['PUT', 'sys/rotate'],
      ['LIST', 'sys/quotas/rate-limit'],
      ['GET', 'sys/quotas/config'],
      ['GET', 'sys/sync/config'],
      ['PATCH', 'sys/sync/config'],
    ] as const) {
      const body = method === 'PUT' || method === 'PATCH' ? {} : undefined;
      for (const answer of [await space.ask(method, path, body), await service.ask(method, space.path + path, body)])
        expect([path, answer.status, answer.errors]).toEqual([
          path,
          400,
          ['operation only available in root namespace'],
        ]);
    }
  });

  test('is refused there in any state of the seal, except for operations that only report the state', async () => {
    const space = await spaceOf(service);
    for (const path of ['sys/seal', 'sys/unseal', 'sys/init']) {
      expect([path, (await space.ask('PUT', path, {})).errors]).toEqual([
        path,
        ['operation unavailable in namespaces'],
      ]);
      expect((await service.ask('PUT', space.path + path, {})).errors).toEqual([
        'operation only available in root namespace',
      ]);
    }
    for (const path of ['sys/health', 'sys/seal-status', 'sys/leader', 'sys/init'])
      expect([path, (await space.ask('GET', path)).status]).toEqual([path, 200]);
  });
});
