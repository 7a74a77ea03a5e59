import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { opaProgram, policyText } from './opa-program.ts';
import { upload, uploaded } from './policed.ts';

const ground = workspaceGround({ KEYFERRY_OPA: opaProgram() });

type Related = Readonly<Record<string, unknown>>;

async function organization() {
  const made = await ground.organization();
  const workspace = await ground.workspace(made.id, made.projectId);
  const at = `/organizations/${made.name}`;
  const policy = (attributes: object = {}, related: Related = {}, token?: string) =>
    ground.call(
      'POST',
      `${at}/policies`,
      documentOf('policies', { name: 'one', kind: 'opa', query: 'data.a.deny', ...attributes }, related),
      token,
    );
  const set = (attributes: object = {}, related: Related = {}) =>
    ground.call(
      'POST',
      `${at}/policy-sets`,
      documentOf('policy-sets', { name: 'all', kind: 'opa', ...attributes }, related),
    );
  return { ...made, at, workspace, policy, set };
}

const to = (type: string, id: string) => [{ type, id }];

test('a policy is created, uploaded, read, changed and deleted', async () => {
  const { at, policy } = await organization();
  const made = await policy({ description: 'd', enforce: [{ path: 'one.rego', mode: 'mandatory' }] });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  expect(made.item.attributes).toMatchObject({
    name: 'one',
    description: 'd',
    kind: 'opa',
    query: 'data.a.deny',
    'enforcement-level': 'mandatory',
    enforce: [{ path: 'one.rego', mode: 'mandatory' }],
    'policy-set-count': 0,
  });
  const one = `/policies/${made.item.id}`;
  expect((await ground.call('GET', `${one}/download`)).status).toBe(404);
  expect(await uploaded(ground, made.item.id, 'package a\n')).toBe(204);
  expect((await ground.call('GET', `${one}/download`)).text).toBe('package a\n');
  expect(await uploaded(ground, made.item.id, Buffer.from([0xff, 0xfe]))).toBe(422);
  expect(await uploaded(ground, made.item.id, 'a\0b')).toBe(422);
  expect(await uploaded(ground, made.item.id, 'x'.repeat(256 * 1024 + 1))).toBe(413);
  const changed = await ground.call('PATCH', one, documentOf('policies', { 'enforcement-level': 'advisory' }));
  expect(changed.item.attributes).toMatchObject({ 'enforcement-level': 'advisory', description: 'd' });
  expect((await ground.call('PATCH', one, documentOf('policies', { name: 'other' }))).status).toBe(422);
  expect((await ground.call('GET', `${at}/policies?search%5Bname%5D=ON`)).items).toEqual([changed.item]);
  expect((await ground.call('GET', `${at}/policies?filter%5Bkind%5D=sentinel`)).items).toEqual([]);
  expect((await ground.call('DELETE', one)).status).toBe(204);
  expect((await ground.call('GET', one)).status).toBe(404);
});

test('a text that cannot be compiled is refused with the line and the reason, and the former one stays', async () => {
  const { policy } = await organization();
  const { id } = (await policy()).item;
  for (const text of [policyText.current('bad'), policyText.old('bad')])
    expect(await uploaded(ground, id, text)).toBe(204);
  const refused = await upload(ground, id, policyText.reaching);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toMatch(
    /The policy cannot be compiled: line 3: undefined function http\.send \(rego_type_error\)/,
  );
  expect((await ground.call('GET', `/policies/${id}/download`)).text).toBe(policyText.old('bad'));
});

test.each([
  [{ kind: 'sentinel' }, 'Sentinel is not evaluated'],
  [{ kind: undefined }, 'Sentinel is not evaluated'],
  [{ query: 'count(data.a.deny) > 0' }, 'must name a rule'],
  [{ name: 'a b' }, 'can only include'],
  [{ 'enforcement-level': 'hard-mandatory' }, 'must be one of'],
])('a policy with %j is 422', async (attributes, problem) => {
  const { policy } = await organization();
  const refused = await policy(attributes);
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining(problem)]);
});

test('a name is taken once in an organization', async () => {
  const { policy, set } = await organization();
  expect([(await policy()).status, (await policy()).status]).toEqual([201, 422]);
  expect([(await set()).status, (await set()).status]).toEqual([201, 422]);
});

test('a policy set has policies, workspaces, projects and exclusions of its organization', async () => {
  const { policy, set, workspace, projectId } = await organization();
  const made = await set({}, { workspaces: to('workspaces', workspace.id), projects: to('projects', projectId) });
  expect(made.status, made.text).toBe(201);
  expect(made.item.attributes).toMatchObject({ kind: 'opa', 'workspace-count': 1, 'project-count': 1, global: false });
  const linked = await policy({}, { 'policy-sets': to('policy-sets', made.item.id) });
  const one = `/policy-sets/${made.item.id}`;
  const read = async () => (await ground.call('GET', one)).item;
  expect((await read()).relationships['policies']?.data).toEqual(to('policies', linked.item.id));
  const change = async (method: string, link: string, type: string, id: string) =>
    (await ground.call(method, `${one}/relationships/${link}`, { data: to(type, id) })).status;
  expect(await change('DELETE', 'workspaces', 'workspaces', workspace.id)).toBe(204);
  expect(await change('POST', 'workspace-exclusions', 'workspaces', workspace.id)).toBe(204);
  expect(await change('POST', 'workspace-exclusions', 'workspaces', workspace.id)).toBe(204);
  expect((await read()).relationships).toMatchObject({
    workspaces: { data: [] },
    'workspace-exclusions': { data: to('workspaces', workspace.id) },
  });
  const other = await organization();
  expect(await change('POST', 'workspaces', 'workspaces', other.workspace.id)).toBe(422);
  expect(await change('POST', 'policies', 'policies', 'pol-none')).toBe(422);
  const updated = await ground.call('PATCH', one, documentOf('policy-sets', { global: true, description: 'all' }));
  expect(updated.item.attributes).toMatchObject({ global: true, description: 'all', 'project-count': 0 });
  expect(await change('POST', 'projects', 'projects', projectId)).toBe(422);
  expect((await ground.call('DELETE', one)).status).toBe(204);
  expect((await ground.call('GET', `/policies/${linked.item.id}`)).item.attributes['policy-set-count']).toBe(0);
});

test.each([
  { 'vcs-repo': { identifier: 'a/b' } },
  { 'policies-path': 'sub' },
  { 'agent-enabled': false },
  { 'policy-tool-version': '0.54.0' },
])('a policy set with %j is 422', async (attributes) => {
  const { set } = await organization();
  expect((await set(attributes)).status).toBe(422);
});

test('only callers with manage-policies see and change policies', async () => {
  const { id, at, policy } = await organization();
  const member = await ground.user(id);
  const manager = await ground.team(id, { flags: ['manage-policies'] });
  expect((await policy({}, {}, member.token)).status).toBe(404);
  expect((await policy({}, {}, manager.token)).status).toBe(201);
  expect((await ground.call('GET', `${at}/policies`, undefined, member.token)).status).toBe(404);
});
