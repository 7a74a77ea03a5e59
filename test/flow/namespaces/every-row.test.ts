import { expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { spaceOf } from './spaces.ts';

// Every operation of every mount of a namespace, taken from its help, called by callers without rights there.
const service = serviceOf([]);
const methods = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' };

test('callers without a policy in a namespace, and callers from other namespaces, get 403 for every operation', async () => {
  const [space, other] = [await spaceOf(service), await spaceOf(service)];
  const tokenOf = async ({ ask }: typeof space) => {
    const { body } = await ask('POST', 'auth/token/create', { policies: ['none'], no_default_policy: true });
    return (body['auth'] as { client_token: string }).client_token;
  };
  await other.ask('PUT', 'sys/policies/acl/none', { policy: 'path "*" { capabilities = ["read", "sudo"] }' });
  const tokens = [await tokenOf(space), await tokenOf(other)];
  const answered: string[] = [];
  let asked = 0;
  for (const mount of ['sys', 'auth/token', 'cubbyhole', 'secret', 'identity']) {
    const { body } = await space.ask('GET', `${mount}?help=1`);
    const { paths } = body['openapi'] as { paths: Record<string, Record<string, Record<string, unknown>>> };
    for (const [pattern, item] of Object.entries(paths)) {
      for (const [key, method] of Object.entries(methods)) {
        if (item[key] === undefined || item[key]['x-service-unauthenticated'] === true) continue;
        const path = (mount + (pattern === '/' ? '' : pattern)).replaceAll(/\{\w+\}/g, 'x');
        for (const token of tokens) {
          const sent = method === 'POST' || method === 'PATCH' ? {} : undefined;
          const { status, errors } = await space.ask(method, path, sent, token);
          const isOfRoot = status === 400 && /in (root namespace|namespaces)$/.test(errors.join());
          asked += 1;
          if (status !== 403 && !isOfRoot) answered.push(`${method} ${path}: ${status} ${errors.join()}`);
        }
      }
    }
  }
  expect(answered).toEqual([]);
  expect(asked).toBeGreaterThan(150);
});

test('a rate limit of a namespace applies to it, and with inheritable to those below it', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  const name = service.name('limit');
  const at = `sys/quotas/rate-limit/${name}`;
  const write = (body: object) => service.ask('POST', at, { path: outer.path, rate: 1, interval: 3_600, ...body });
  expect((await write({ inheritable: false })).status).toBe(204);
  const limited = async (space: typeof outer) =>
    [await space.ask('GET', 'secret/data/a'), await space.ask('GET', 'secret/data/a')].at(-1)?.status;
  expect([await limited(outer), await limited(inner)]).toEqual([429, 404]);
  expect((await write({ inheritable: true })).status).toBe(204);
  expect(await limited(inner)).toBe(429);
  expect((await service.ask('GET', at)).data).toMatchObject({ path: outer.path, inheritable: true });
  expect((await write({ path: `${outer.path}secret`, inheritable: false })).status).toBe(204);
  expect((await service.ask('GET', at)).data['path']).toBe(`${outer.path}secret/`);
  expect((await write({ path: `${outer.path}none`, inheritable: false })).status).toBe(400);
  expect((await write({ path: `${outer.path}secret`, inheritable: true })).status).toBe(400);
  expect((await service.ask('DELETE', at)).status).toBe(204);
});
