import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { filesOf, lockedWorkspace, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();

test('a state version is created, uploaded and read back as the command line does it', async () => {
  const { path, id, user, row } = await lockedWorkspace(ground);
  const current = `/workspaces/${id}/current-state-version`;
  expect((await ground.call('GET', current, undefined, user.token)).status).toBe(404);
  const text = stateText({ serial: 5 });
  const made = await ground.call(
    'POST',
    path,
    stateVersion({ serial: 5, md5: md5Of(text), lineage: 'l-1', 'json-state-outputs': btoa('{}') }),
    user.token,
  );
  expect(made.status).toBe(201);
  expect(made.headers.get('x-terraform-snapshot-interval')).toMatch(/^\d+$/);
  expect(made.item.attributes).toMatchObject({ status: 'pending', serial: 5, 'hosted-state-download-url': null });
  const uploads = made.item.attributes;
  const answers = await Promise.all([
    put(uploads['hosted-state-upload-url'], text),
    put(uploads['hosted-json-state-upload-url'], '{"format_version":"1.0"}'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const shown = await ground.call('GET', `/state-versions/${made.item.id}`, undefined, user.token);
  expect(shown.item.attributes).toMatchObject({
    status: 'finalized',
    size: text.length,
    'resources-processed': true,
    'state-version': 4,
    'terraform-version': '1.11.4',
    'engine-version': '1.11.4',
    'hosted-state-upload-url': null,
    modules: { root: { 'null-resource': 2 }, 'module.m': { 'data.http': 1 } },
  });
  expect(shown.item.attributes['resources']).toEqual([
    { type: 'null_resource', name: 'one', module: 'root', provider: 'provider["registry.example/null"]', count: 2 },
    { type: 'data.http', name: 'two', module: 'module.m', provider: 'provider["registry.example/http"]', count: 1 },
  ]);
  expect(shown.item.relationships['created-by']).toMatchObject({ data: { id: user.id, type: 'users' } });
  expect(await row()).toEqual({ current_state_version_id: made.item.id, resource_count: 2 });
  const read = await ground.call('GET', current, undefined, user.token);
  expect(read.item).toEqual(shown.item);
  expect((await ground.call('GET', path, undefined, user.token)).items).toEqual([shown.item]);
  const file = await fetch(String(read.item.attributes['hosted-state-download-url']));
  expect(file.headers.get('content-length')).toBe(String(text.length));
  expect(await file.text()).toBe(text);
  const json = await fetch(String(read.item.attributes['hosted-json-state-download-url']));
  expect(await json.text()).toBe('{"format_version":"1.0"}');
});

test('a state inside the document is final immediately', async () => {
  const { path, user, row } = await lockedWorkspace(ground);
  const text = stateText();
  const attributes = { serial: 0, md5: md5Of(text), lineage: 'other', state: btoa(text), 'json-state': btoa('{}') };
  const made = await ground.call('POST', path, stateVersion(attributes), user.token);
  expect(made.status).toBe(201);
  expect(made.item.attributes).toMatchObject({ status: 'finalized', serial: 0 });
  expect(await row()).toMatchObject({ current_state_version_id: made.item.id });
  const wrong = await ground.call('POST', path, stateVersion({ ...attributes, serial: 1, md5: md5Of('') }), user.token);
  expect(wrong.status).toBe(412);
});

test('outputs have types; the values of sensitive ones are hidden in lists and shown by id', async () => {
  const { path, id, user } = await lockedWorkspace(ground);
  const text = stateText();
  const made = await ground.call(
    'POST',
    path,
    stateVersion({ serial: 1, md5: md5Of(text), state: btoa(text) }),
    user.token,
  );
  const outputs = await ground.call('GET', `/workspaces/${id}/current-state-version-outputs`, undefined, user.token);
  expect(outputs.items.map(({ attributes }) => attributes)).toMatchObject([
    { name: 'plain', sensitive: false, type: 'string', value: 'shown', 'detailed-type': 'string' },
    { name: 'hidden', sensitive: true, type: 'string', value: null },
    {
      name: 'many',
      type: 'array',
      value: [1, 2.5, '12345678901234567890'],
      'detailed-type': ['tuple', expect.anything()],
    },
  ]);
  const [, hidden] = outputs.items;
  const one = await ground.call('GET', `/state-version-outputs/${hidden?.id}`, undefined, user.token);
  expect(one.item.attributes).toMatchObject({ name: 'hidden', value: 'marker-state' });
  const listed = await ground.call(
    'GET',
    `/state-versions/${made.item.id}/outputs?page[size]=1`,
    undefined,
    user.token,
  );
  expect(listed.body?.meta?.['pagination']).toMatchObject({ 'total-count': 3, 'page-size': 1 });
  const including = await ground.call('GET', `/state-versions/${made.item.id}?include=outputs`, undefined, user.token);
  expect(including.body?.included).toHaveLength(3);
  const stored = await sql<{ text: string }>`
    select string_agg(encode(data, 'escape'), '') as text from ws_blob_chunks`.execute(ground.service.store.db);
  expect(stored.rows[0]?.text).not.toContain('marker-state');
});

test('callers that do not hold the lock are refused, and the error names the holder', async () => {
  const { path, user, team, lock } = await lockedWorkspace(ground);
  const post = (token: string, run?: string) =>
    ground.call('POST', path, stateVersion({ serial: 1, md5: md5Of('x') }, run), token);
  const byTeam = await post(team.token);
  expect(byTeam.status).toBe(409);
  expect(byTeam.errors[0]?.detail).toBe(
    `This workspace is locked by User ${user.id} and will only accept state uploads from them while locked.`,
  );
  await lock(null, null);
  const unlocked = await post(user.token);
  expect(unlocked.status).toBe(409);
  expect(unlocked.errors[0]?.detail).toBe(
    'This workspace is not locked and will only accept state uploads when locked',
  );
  await lock('teams', team.id);
  expect((await post(user.token)).errors[0]?.detail).toContain(`is locked by Team ${team.id}`);
  expect((await post(team.token)).status).toBe(201);
  await lock('runs', 'run-1');
  expect((await post(user.token)).errors[0]?.detail).toContain('is locked by Run run-1');
});

test('serial, lineage and hash must match the known state unless forced', async () => {
  const { path, user } = await lockedWorkspace(ground);
  const text = stateText();
  const post = (attributes: object) =>
    ground.call(
      'POST',
      path,
      stateVersion({ state: btoa(text), md5: md5Of(text), lineage: 'a', ...attributes }),
      user.token,
    );
  expect((await post({ serial: 3 })).status).toBe(201);
  expect((await post({ serial: 3 })).status).toBe(201);
  const other = stateText({ secret: 'other' });
  const hash = await post({ serial: 3, md5: md5Of(other), state: btoa(other) });
  expect(hash.status).toBe(409);
  expect(hash.errors[0]?.detail).toContain(
    'The MD5 hash of the state provided does not match what is currently known for the same serial number',
  );
  const lineage = await post({ serial: 4, lineage: 'b' });
  expect(lineage.status).toBe(409);
  expect(lineage.errors[0]?.detail).toContain(
    'The lineage provided in the state file does not match the value currently known',
  );
  expect((await post({ serial: 2 })).status).toBe(409);
  expect((await post({ serial: 2, lineage: 'b', force: true })).status).toBe(201);
});

test('invalid input is refused with the reason', async () => {
  const { path, user, id } = await lockedWorkspace(ground);
  const post = async (attributes: object, run?: string) => {
    const { status, errors } = await ground.call('POST', path, stateVersion(attributes, run), user.token);
    return { status, detail: errors[0]?.detail };
  };
  const md5 = md5Of('x');
  expect(await post({ md5 })).toEqual({ status: 422, detail: "Serial can't be blank" });
  expect(await post({ serial: 1 })).toEqual({ status: 422, detail: "Md5 can't be blank" });
  expect((await post({ serial: -1, md5 })).status).toBe(422);
  expect((await post({ serial: 1, md5: 'no' })).status).toBe(422);
  expect((await post({ serial: 1, md5, state: '%%' })).status).toBe(422);
  expect((await post({ serial: 1, md5, state: btoa('x') })).detail).toContain('not valid JSON');
  expect((await post({ serial: 1, md5, 'json-state-outputs': btoa('{') })).status).toBe(422);
  expect((await post({ serial: 1, md5 }, 'run-none')).detail).toContain('Run not found');
  expect(await filesOf(ground, id)).toEqual([]);
  expect((await ground.call('GET', '/state-versions')).status).toBe(400);
  expect((await ground.call('GET', `${path}?filter[status]=x`)).status).toBe(400);
  expect((await ground.call('GET', '/state-versions/sv-none')).status).toBe(404);
  expect((await ground.call('GET', '/state-version-outputs/wsout-none')).status).toBe(404);
});

test('a rollback makes a copy of a former state current', async () => {
  const { path, id, user, row, lock } = await lockedWorkspace(ground);
  const post = async (serial: number) => {
    const text = stateText({ serial, secret: `s-${serial}` });
    return (await ground.call('POST', path, stateVersion({ serial, md5: md5Of(text), state: btoa(text) }), user.token))
      .item;
  };
  const [first] = [await post(1), await post(2)];
  const back = (to: string) => ({
    data: {
      type: 'state-versions',
      relationships: { 'rollback-state-version': { data: { type: 'state-versions', id: to } } },
    },
  });
  const answer = await ground.call('PATCH', path, back(first.id), user.token);
  expect(answer.status).toBe(201);
  expect(answer.item.id).not.toBe(first.id);
  expect(await row()).toMatchObject({ current_state_version_id: answer.item.id });
  const file = await fetch(String(answer.item.attributes['hosted-state-download-url']));
  expect(await file.text()).toBe(stateText({ serial: 1, secret: 's-1' }));
  const outputs = await ground.call('GET', `/state-versions/${answer.item.id}/outputs`, undefined, user.token);
  expect(outputs.items[1]?.attributes).toMatchObject({ value: 's-1', 'detailed-type': 'string' });
  expect((await post(2)).attributes).toMatchObject({ status: 'finalized' });
  expect((await ground.call('PATCH', path, back('sv-none'), user.token)).status).toBe(422);
  await lock(null, null);
  expect((await ground.call('PATCH', path, back(first.id), user.token)).status).toBe(409);
  expect((await ground.call('GET', `/workspaces/${id}/state-versions?page[size]=2`)).items).toHaveLength(2);
});

test('files of former versions can be soft-deleted, restored and deleted; the current version keeps its file', async () => {
  const { path, id, user } = await lockedWorkspace(ground);
  const owner = await ground.team((await ownerOf(id)) ?? '', { owners: true });
  const post = async (serial: number) => {
    const text = stateText({ serial });
    return (await ground.call('POST', path, stateVersion({ serial, md5: md5Of(text), state: btoa(text) }), user.token))
      .item;
  };
  const [former, current] = [await post(1), await post(2)];
  const act = (version: string, action: string, token = owner.token) =>
    ground.call('POST', `/state-versions/${version}/actions/${action}`, undefined, token);
  expect((await act(former.id, 'soft_delete_backing_data', user.token)).status).toBe(404);
  expect((await act(current.id, 'soft_delete_backing_data')).status).toBe(409);
  expect((await act(former.id, 'permanently_delete_backing_data')).status).toBe(409);
  expect((await act(former.id, 'soft_delete_backing_data')).item.attributes).toMatchObject({
    status: 'backing_data_soft_deleted',
    'hosted-state-download-url': null,
  });
  expect((await fetch(String(former.attributes['hosted-state-download-url']))).status).toBe(404);
  expect((await act(former.id, 'restore_backing_data')).item.attributes).toMatchObject({ status: 'finalized' });
  await act(former.id, 'soft_delete_backing_data');
  expect((await act(former.id, 'permanently_delete_backing_data')).status).toBe(200);
  expect(await filesOf(ground, id)).toHaveLength(1);
});

const ownerOf = async (workspaceId: string) => {
  const { rows } = await sql<{ organization_id: string }>`
    select organization_id from ws_workspaces where id = ${workspaceId}`.execute(ground.service.store.db);
  return rows[0]?.organization_id;
};

test('each kind of caller can do what its level allows', async () => {
  const { path, id, organization, user } = await lockedWorkspace(ground);
  const text = stateText();
  const made = await ground.call(
    'POST',
    path,
    stateVersion({ serial: 1, md5: md5Of(text), state: btoa(text) }),
    user.token,
  );
  const reader = await ground.team(organization.id);
  await ground.grant(reader.id, { workspace: id }, 'read');
  const outsider = await ground.team(organization.id);
  const token = await ground.organizationToken(organization.id);
  const see = async (by: string) => (await ground.call('GET', `/state-versions/${made.item.id}`, undefined, by)).status;
  const post = async (by: string) =>
    (await ground.call('POST', path, stateVersion({ serial: 2, md5: md5Of('') }), by)).status;
  expect([await see(reader.token), await see(outsider.token), await see(token)]).toEqual([200, 404, 200]);
  expect([await post(reader.token), await post(outsider.token), await post(token)]).toEqual([404, 404, 404]);
  const shown = await ground.call('GET', `/state-versions/${made.item.id}`, undefined, reader.token);
  expect(shown.item.attributes['hosted-state-upload-url']).toBeNull();
});
