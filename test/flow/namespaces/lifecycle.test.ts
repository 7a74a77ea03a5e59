import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { otherProcessOf } from '../../support/flow/other-process.ts';
import { askingIn, holderIn, spaceOf } from './spaces.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const at = (path: string) => `sys/namespaces/${path.replace(/\/$/, '')}`;

test('a namespace is created, read, listed, changed and deleted', async () => {
  const name = service.name('team');
  const made = await service.ask('POST', at(name), { custom_metadata: { owner: 'a', gone: 'b' } });
  const { id, uuid } = made.data as { id: string; uuid: string };
  expect(id).toMatch(/^[0-9A-Za-z]{5}$/);
  const shown = {
    id,
    uuid,
    path: `${name}/`,
    custom_metadata: { owner: 'a', gone: 'b' },
    locked: false,
    tainted: false,
  };
  expect([made.status, made.data]).toEqual([200, shown]);
  expect((await service.ask('GET', at(name))).data).toEqual(shown);
  const listed = await service.ask('LIST', 'sys/namespaces');
  expect(listed.data['keys']).toContain(`${name}/`);
  expect((listed.data['key_info'] as Record<string, unknown>)[`${name}/`]).toEqual(shown);
  const patched = await service.ask('PATCH', at(name), { custom_metadata: { gone: null, more: 'c' } });
  expect(patched.data['custom_metadata']).toEqual({ owner: 'a', more: 'c' });
  expect((await service.ask('PUT', at(name), {})).data).toEqual(patched.data);
  expect((await service.ask('GET', 'sys/internal/ui/namespaces')).data['keys']).toContain(`${name}/`);
  expect((await service.ask('DELETE', at(name))).status).toBe(204);
  expect((await service.ask('GET', at(name))).status).toBe(404);
  expect((await service.ask('PATCH', at(name), {})).status).toBe(404);
  expect((await service.ask('DELETE', at(name))).status).toBe(204);
});

test.each([
  ['root', /reserved/],
  ['sys', /reserved/],
  ['Identity', /reserved/],
  ['a b', /cannot be used/],
  ['-a', /cannot be used/],
  ['x'.repeat(200), /cannot be used/],
  ['none/deep', /parent namespace "none\/" does not exist/],
])('the path %j is refused', async (path, why) => {
  const { status, errors } = await service.ask('POST', `sys/namespaces/${encodeURIComponent(path)}`, {});
  expect([status, errors.join()]).toEqual([400, expect.stringMatching(why)]);
});

test('a namespace with namespaces below it cannot be deleted', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  const refused = await service.ask('DELETE', at(outer.path));
  expect([refused.status, refused.errors]).toEqual([
    400,
    [`child namespaces exist under path "${outer.path}", cannot remove`],
  ]);
  expect((await service.ask('DELETE', at(inner.path))).status).toBe(204);
  expect((await service.ask('DELETE', at(outer.path))).status).toBe(204);
});

test('concurrent requests to create the same namespace create one', async () => {
  const name = service.name('one');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      askingIn(service, '', index % 2 === 0 ? service.address : other.address)('POST', at(name), {}),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ data }) => data['id'])).size).toBe(1);
  const { rows } = await sql`select 1 from namespaces where path = ${`${name}/`}`.execute(service.store.db);
  expect(rows).toHaveLength(1);
});

test('a lock and an unlock on one process apply to the next request on another', async () => {
  const outer = await spaceOf(service);
  const inner = await spaceOf(service, outer);
  const { client_token: token } = await holderIn(service, inner, 'path "secret/*" { capabilities = ["read"] }');
  const there = askingIn(service, inner.path, other.address);
  const statuses = async () => [
    (await there('GET', 'secret/data/a')).status,
    (await there('GET', 'secret/data/a', undefined, token)).status,
    (await there('GET', 'sys/internal/ui/mounts', undefined, '')).status,
  ];
  for (let round = 0; round < 5; round += 1) {
    expect(await statuses()).toEqual([404, 404, 200]);
    const { data } = await service.ask('POST', `sys/namespaces/api-lock/lock/${outer.path.slice(0, -1)}`, {});
    expect(await statuses()).toEqual([503, 503, 503]);
    expect((await there('GET', 'secret/data/a')).errors).toEqual([
      `API access to this namespace has been locked by an administrator - "${outer.path}" must be unlocked to gain access.`,
    ]);
    const unlock = (body: object) => askingIn(service, outer.path)('POST', 'sys/namespaces/api-lock/unlock', body);
    expect((await unlock({ unlock_key: 'wrong' })).errors).toEqual(['unlock key is wrong']);
    expect((await unlock([{}, { unlock_key: '(not set)' }][round] ?? { unlock_key: data['unlock_key'] })).status).toBe(
      204,
    );
  }
});

test('a deletion on one process applies to the next request on another, and leaves nothing', async () => {
  const space = await spaceOf(service);
  const { client_token: token } = await holderIn(service, space, 'path "secret/*" { capabilities = ["read"] }');
  await space.ask('POST', 'secret/data/a', { data: { a: '1' } });
  await space.ask('POST', 'auth/token/roles/ci', {});
  const id = String((await service.ask('GET', at(space.path))).data['id']);
  const there = askingIn(service, space.path, other.address);
  expect((await there('GET', 'secret/data/a', undefined, token)).status).toBe(200);
  expect((await service.ask('DELETE', at(space.path))).status).toBe(204);
  expect((await there('GET', 'secret/data/a', undefined, token)).status).toBe(403);
  expect((await there('GET', 'secret/data/a')).status).toBe(404);
  expect((await there('GET', 'sys/internal/ui/mounts', undefined, '')).status).toBe(404);
  for (const table of ['mounts', 'tokens', 'policies', 'token_roles', 'namespaces']) {
    const column = sql.ref(table === 'namespaces' ? 'id' : 'namespace_id');
    const { rows } = await sql`select 1 from ${sql.table(table)} where ${column} = ${id}`.execute(service.store.db);
    expect([table, rows.length]).toEqual([table, 0]);
  }
});

test('a namespace whose deletion was interrupted is unavailable, and the sweep completes the deletion', async () => {
  const space = await spaceOf(service);
  await space.ask('POST', 'secret/data/a', { data: { a: '1' } });
  await sql`update namespaces set deleted_at = now() where path = ${space.path}`.execute(service.store.db);
  await sql`update revisions set revision = revision + 1 where name = 'mounts'`.execute(service.store.db);
  expect((await space.ask('GET', 'secret/data/a')).status).toBe(404);
  expect((await service.ask('GET', at(space.path))).data['tainted']).toBe(true);
  expect((await service.ask('POST', at(space.path), {})).status).toBe(400);
  await eventually(async () => {
    await service.sweep();
    const { rows } = await sql`select 1 from namespaces where path = ${space.path}`.execute(service.store.db);
    return rows.length === 0;
  });
  expect((await service.ask('POST', at(space.path), {})).status).toBe(200);
  expect((await space.ask('GET', 'sys/mounts')).data['secret/']).toBe(undefined);
});
