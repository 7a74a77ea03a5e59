import { expect, test } from 'vitest';
import { kvV2 } from '#engines/kv/v2/index.ts';
import { openMountTable } from '#mounts/table.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-a-sm';
const service = serviceOf([type]);

/** Disables a mount like a process that dies after its first commit. */
async function disableAndCrash(path: string): Promise<void> {
  const table = openMountTable({ store: service.store, engines: [kvV2], fixed: [] });
  await table.disable(`${path}/`, async () => [], AbortSignal.abort());
}

const removals = async () => {
  const { data } = await service.ask('GET', 'sys/removals');
  return Object.values((data as { removals: Record<string, { path: string }> }).removals).map(({ path }) => path);
};

test('a disabled mount is unavailable to requests at once, and its copies are removed with its content', async () => {
  const mount = service.name('kv');
  await service.ask('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } });
  await service.ask('POST', `${mount}/data/app`, { data: { value: 'old' } });
  const destination = await service.destination(type);
  await service.set(type, destination, 'app', { mount });
  expect(service.fake(type).objects().size).toBe(1);
  await disableAndCrash(mount);

  expect((await service.ask('GET', `${mount}/data/app`)).status).toBe(404);
  expect((await service.ask('GET', `sys/mounts/${mount}`)).status).toBe(400);
  expect(Object.keys((await service.ask('GET', 'sys/mounts')).body)).not.toContain(`${mount}/`);
  expect(await removals()).toEqual([`${mount}/`]);
  expect(await service.associations(type, destination)).toMatchObject([{ sync_status: 'PENDING' }]);

  expect((await service.ask('POST', `sys/mounts/${mount}`, { type: 'kv', options: { version: '2' } })).status).toBe(
    204,
  );
  expect((await service.ask('GET', `${mount}/data/app`)).status).toBe(404);
  await service.ask('POST', `${mount}/data/app`, { data: { value: 'new' } });

  await service.sweep();
  await service.untilQuiet();
  expect(await removals()).toEqual([]);
  expect(service.fake(type).objects().size).toBe(0);
  const read = await service.ask('GET', `${mount}/data/app`);
  expect(read.data).toMatchObject({ data: { value: 'new' } });
});

test('a namespace can be deleted while one of its mounts is being emptied', async () => {
  const name = service.name('team');
  await service.ask('POST', `sys/namespaces/${name}`, {});
  await service.ask('POST', `${name}/sys/mounts/kv`, { type: 'kv', options: { version: '2' } });
  await service.ask('POST', `${name}/kv/data/app`, { data: { value: 'x' } });
  const table = openMountTable({ store: service.store, engines: [kvV2], fixed: [] });
  const namespace = (await table.namespaces()).find(({ path }) => path === `${name}/`);
  if (namespace === undefined) throw new Error('no such namespace');
  await table.in(namespace).disable('kv/', async () => [], AbortSignal.abort());
  expect((await service.ask('DELETE', `sys/namespaces/${name}`)).status).toBeLessThan(300);
  await service.sweep();
  expect((await service.ask('GET', `sys/namespaces/${name}`)).status).toBe(404);
});

test('a disabled auth method refuses logins, and a new one at the same path has none of its users', async () => {
  const path = service.name('people');
  await service.ask('POST', `sys/auth/${path}`, { type: 'userpass' });
  await service.ask('POST', `auth/${path}/users/ada`, { password: 'correct horse' });
  const login = () => service.ask('POST', `auth/${path}/login/ada`, { password: 'correct horse' });
  const { status, body } = await login();
  expect(status).toBe(200);
  const { client_token: token } = body['auth'] as { client_token: string };
  expect((await service.ask('DELETE', `sys/auth/${path}`)).status).toBe(204);
  expect(
    (await service.ask('GET', 'auth/token/lookup-self', undefined, { headers: { 'x-service-token': token } })).status,
  ).toBe(403);
  await service.ask('POST', `sys/auth/${path}`, { type: 'userpass' });
  expect((await login()).status).toBe(400);
});
