import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { lockedWorkspace, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

async function stateGround() {
  const locked = await lockedWorkspace(ground);
  const post = (attributes: object, text = stateText()) => {
    const whole = { serial: 1, md5: md5Of(text), state: btoa(text), ...attributes };
    return ground.call('POST', locked.path, stateVersion(whole), locked.user.token);
  };
  const get = (path: string) => ground.call('GET', path, undefined, locked.user.token);
  return { ...locked, post, get };
}

test('serial and lineage come from the request, not from the file', async () => {
  const { path, user, get } = await stateGround();
  const text = stateText({ serial: 5, lineage: 'of-the-file' });
  const attributes = { serial: 1, lineage: 'of-the-request', md5: md5Of(text).toUpperCase() };
  const made = await ground.call('POST', path, stateVersion(attributes), user.token);
  expect((await put(made.item.attributes['hosted-state-upload-url'], text)).status).toBe(200);
  const shown = await get(`/state-versions/${made.item.id}`);
  const expected = { status: 'finalized', serial: 1, lineage: 'of-the-request', md5: md5Of(text) };
  expect(shown.item.attributes).toMatchObject(expected);
});

test('lineages are compared only when both are known', async () => {
  const { post } = await stateGround();
  const statuses: number[] = [];
  for (const attributes of [{ lineage: 'a' }, { serial: 2 }, { serial: 3, lineage: '' }, { serial: 4, lineage: 'b' }])
    statuses.push((await post(attributes)).status);
  expect(statuses).toEqual([201, 201, 201, 201]);
  expect((await post({ serial: 5, lineage: 'c' })).status).toBe(409);
});

test('a version without its file does not restrict later versions', async () => {
  const { path, user, post } = await stateGround();
  const waiting = stateVersion({ serial: 9, md5: md5Of('later'), lineage: 'other' });
  expect((await ground.call('POST', path, waiting, user.token)).status).toBe(201);
  expect((await post({ serial: 3, lineage: 'a' })).status).toBe(201);
});

test('outputs of the current state are 503 until they have been read', async () => {
  const { id, post, get } = await stateGround();
  const current = `/workspaces/${id}/current-state-version-outputs`;
  expect((await get(current)).status).toBe(404);
  const made = await post({});
  await sql`update ws_state_versions set resources_processed = false where id = ${made.item.id}`.execute(
    ground.service.store.db,
  );
  const early = await get(current);
  expect(early.status).toBe(503);
  expect(early.errors[0]).toMatchObject({ status: '503' });
});

test('outputs come in pages, in the order of the state', async () => {
  const { id, post, get } = await stateGround();
  const names = Array.from({ length: 45 }, (_value, n) => `output-${n}`);
  const outputs = Object.fromEntries(names.map((name) => [name, { value: name, type: 'string' }]));
  const made = await post({}, JSON.stringify({ version: 4, outputs }));
  for (const path of [`/workspaces/${id}/current-state-version-outputs`, `/state-versions/${made.item.id}/outputs`]) {
    const found: unknown[] = [];
    for (const page of [1, 2, 3]) {
      const { items, body } = await get(`${path}?page[size]=20&page[number]=${page}`);
      found.push(...items.map(({ attributes }) => attributes['name']));
      expect(body?.meta?.['pagination']).toMatchObject({ 'current-page': page, 'total-pages': 3, 'total-count': 45 });
    }
    expect(found).toEqual(names);
    expect((await get(`${path}?page[number]=9`)).items).toEqual([]);
  }
});

test('a rollback to a version of another workspace or without a file is refused', async () => {
  const { path, user, post } = await stateGround();
  const other = await (await stateGround()).post({});
  const waiting = await ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of('later') }), user.token);
  const back = (data: unknown) =>
    ground.call(
      'PATCH',
      path,
      { data: { type: 'state-versions', relationships: { 'rollback-state-version': { data } } } },
      user.token,
    );
  for (const id of [other.item.id, waiting.item.id])
    expect((await back({ type: 'state-versions', id })).status).toBe(422);
  expect((await back(null)).status).toBe(422);
  const [first] = [await post({ serial: 3 }), await post({ serial: 4 })];
  const again = await back({ type: 'state-versions', id: first.item.id });
  expect(again.item.attributes).toMatchObject({ serial: 3, status: 'finalized', md5: first.item.attributes['md5'] });
  const outputs = await ground.call('GET', `/state-versions/${again.item.id}/outputs`);
  expect(outputs.items).toHaveLength(3);
});
