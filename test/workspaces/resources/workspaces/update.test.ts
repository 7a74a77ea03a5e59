import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { gitServer, gitVersion } from '#test/support/servers/git-server.ts';
import { newId } from '#workspaces/frame/ids.ts';
import { workspaceGround } from '../../support/ground.ts';
import { bindings, problemsIn, project, tags, workspaceBody } from './bodies.ts';

const withGit = test.skipIf(gitVersion() === undefined);
const ground = workspaceGround();

const existing = async (attributes: object = {}, relationships: object = {}) => {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/workspaces`;
  const { item } = await ground.call('POST', path, workspaceBody({ name: 'here', ...attributes }, relationships));
  const update = (changes: object, more?: object, token?: string) =>
    ground.call('PATCH', `/workspaces/${item.id}`, workspaceBody(changes, more), token);
  return { organization, path, id: item.id, item, update };
};

/** An OAuth token of an organization. */
const oauthToken = async (organizationId: string, url = 'https://host.test'): Promise<string> => {
  const [client, token] = [newId('oc'), newId('ot')];
  const settings = JSON.stringify({
    ...{ name: 'host', key: null, 'rsa-public-key': null, 'organization-scoped': true },
    ...{ 'service-provider': 'github', 'http-url': url, 'api-url': url },
  });
  const { db } = ground.service.store;
  await sql`insert into ws_oauth_clients (id, organization_id, settings) values (${client}, ${organizationId}, ${settings})`.execute(
    db,
  );
  await sql`insert into ws_oauth_tokens (id, client_id) values (${token}, ${client})`.execute(db);
  return token;
};

test('assessments are accepted under their former name too', async () => {
  const { update } = await existing();
  const { item } = await update({ 'drift-detection': true });
  expect(item.attributes).toMatchObject({ 'assessments-enabled': true, 'drift-detection': true });
});

test('attributes that are not sent keep their values; null clears nullable ones', async () => {
  const { item, update } = await existing({
    description: 'd',
    'auto-destroy-at': '2031-01-01T00:00:00Z',
    'auto-destroy-activity-duration': '2h',
    'trigger-prefixes': ['/a'],
    'working-directory': 'w',
  });
  const changed = await update({ 'auto-apply': true });
  expect(changed.status).toBe(200);
  const { 'updated-at': updated, 'latest-change-at': latest, ...attributes } = changed.item.attributes;
  expect({ ...item.attributes, 'auto-apply': true }).toMatchObject(attributes);
  expect(Date.parse(String(updated))).toBeGreaterThan(Date.parse(String(item.attributes['updated-at'])));
  expect(latest).toBe(updated);
  const nulls = {
    description: null,
    'auto-destroy-at': null,
    'auto-destroy-activity-duration': null,
    'working-directory': null,
  };
  expect((await update(nulls)).item.attributes).toMatchObject({ ...nulls, 'trigger-prefixes': ['/a'] });
  expect((await update({ 'auto-apply': null })).status).toBe(422);
});

test('a rename changes the addresses, and a taken or invalid name is 422', async () => {
  const { path, id, update } = await existing();
  await ground.call('POST', path, workspaceBody({ name: 'other' }));
  const renamed = await ground.call('PATCH', `${path}/here`, workspaceBody({ name: 'there' }));
  expect([renamed.status, renamed.item.id, renamed.item.links['self']]).toEqual([200, id, `/api/v2${path}/there`]);
  expect((await ground.call('GET', `${path}/here`)).status).toBe(404);
  expect((await ground.call('GET', `${path}/THERE`)).item.id).toBe(id);
  expect(problemsIn(await update({ name: 'Other' }))).toEqual(['/data/attributes/name: Name has already been taken']);
  expect((await update({ name: 'a/b' })).status).toBe(422);
  expect((await update({ name: 'There' })).status).toBe(200);
});

test('rules are checked between sent and stored settings', async () => {
  const { update } = await existing({ 'trigger-patterns': ['*'], 'project-remote-state': true });
  expect((await update({ 'global-remote-state': true })).status).toBe(422);
  expect((await update({ 'global-remote-state': true, 'project-remote-state': false })).status).toBe(200);
});

withGit('trigger patterns, trigger prefixes and tags replace each other', async () => {
  const { organization, update } = await existing({ 'trigger-patterns': ['*'] });
  const git = await gitServer();
  git.repository('a/b');
  const token = await oauthToken(organization.id, git.url);
  const triggers = async (attributes: object) => {
    const { status, item } = await update(attributes);
    const {
      'trigger-patterns': patterns,
      'trigger-prefixes': prefixes,
      'file-triggers-enabled': files,
    } = item.attributes;
    return { status, patterns, prefixes, files };
  };
  expect(await triggers({ 'trigger-prefixes': ['a'] })).toMatchObject({ status: 200, patterns: [], prefixes: ['a'] });
  expect(await triggers({ 'trigger-patterns': ['b/*'] })).toMatchObject({ patterns: ['b/*'], prefixes: [] });
  expect(await triggers({ 'trigger-prefixes': [] })).toMatchObject({ patterns: ['b/*'], prefixes: [] });
  expect((await update({ 'trigger-prefixes': ['a'], 'trigger-patterns': ['b'] })).status).toBe(422);
  const byTag = { 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': token, 'tags-regex': '^v' } };
  expect(await triggers(byTag)).toEqual({ status: 200, patterns: [], prefixes: [], files: false });
  expect((await update({ 'trigger-prefixes': ['a'] })).status).toBe(422);
  expect((await update({ 'file-triggers-enabled': true })).status).toBe(422);
});

withGit('a repository is connected, updated key by key, and disconnected', async () => {
  const { organization, update } = await existing();
  const git = await gitServer();
  git.repository('o/p/_git/r');
  const token = await oauthToken(organization.id, git.url);
  const strange = await oauthToken((await ground.organization()).id);
  expect((await update({ 'vcs-repo': { branch: 'main' } })).status).toBe(422);
  const untouched = await update({ 'vcs-repo': {} });
  expect([untouched.status, untouched.item.attributes['vcs-repo']]).toEqual([200, null]);
  expect((await update({ 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': strange } })).status).toBe(422);
  const connected = await update({ 'vcs-repo': { identifier: 'o/p/_git/r', oauth_token_id: token } });
  expect(connected.item.attributes).toMatchObject({
    'oauth-client-name': 'host',
    'vcs-repo-identifier': 'o/p/_git/r',
    'vcs-repo': {
      branch: '',
      identifier: 'o/p/_git/r',
      'display-identifier': 'o/p/_git/r',
      'oauth-token-id': token,
      'repository-http-url': `${git.url}/o/p/_git/r`,
      'service-provider': 'github',
      'tags-regex': null,
      'ingress-submodules': false,
    },
  });
  expect((await update({ 'vcs-repo': {} })).item.attributes['vcs-repo']).toEqual(connected.item.attributes['vcs-repo']);
  const changed = await update({ 'vcs-repo': { branch: 'main', 'ingress-submodules': true } });
  expect(changed.item.attributes['vcs-repo']).toMatchObject({
    branch: 'main',
    identifier: 'o/p/_git/r',
    'ingress-submodules': true,
  });
  const byApp = await update({ 'vcs-repo': { 'github-app-installation-id': 'ghain-1' } });
  expect([byApp.status, byApp.errors[0]?.detail]).toMatchObject([422, expect.stringContaining('app installation')]);
  const unknown = await update({ 'vcs-repo': { identifier: 'acme/none' } });
  expect([unknown.status, unknown.errors[0]?.detail]).toMatchObject([422, expect.stringContaining('does not exist')]);
  expect((await update({ 'vcs-repo': null })).item.attributes).toMatchObject({
    'vcs-repo': null,
    'vcs-repo-identifier': null,
  });
});

test('an execution mode is set and reset to the default', async () => {
  const { organization, update } = await existing();
  const pool = newId('apool');
  await sql`insert into ws_agent_pools (id, organization_id, name) values (${pool}, ${organization.id}, 'p')`.execute(
    ground.service.store.db,
  );
  expect((await update({ 'execution-mode': 'agent' })).status).toBe(422);
  expect(
    (await update({ 'execution-mode': 'agent', 'agent-pool-id': pool })).item.relationships['agent-pool'],
  ).toMatchObject({
    data: { id: pool },
  });
  expect((await update({ 'execution-mode': 'agent' })).status).toBe(200);
  const local = await update({ 'execution-mode': 'local', 'agent-pool-id': '' });
  expect(local.item.relationships['agent-pool']?.data).toBeNull();
  expect(local.item.attributes['setting-overwrites']).toEqual({ 'execution-mode': true, 'agent-pool': true });
  const given = { 'execution-mode': 'remote', 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } };
  expect((await update(given)).item.attributes).toMatchObject(given);
});

test('sent bindings replace all, an empty list removes them, and without a list they stay; flat tags are added', async () => {
  const { id, update } = await existing({}, { ...bindings({ a: '1', b: '2' }), ...tags('first') });
  const keys = async () => {
    const shown = await ground.call('GET', `/workspaces/${id}?include=effective_tag_bindings`);
    return shown.body?.included?.map(({ attributes }) => `${attributes['key']}=${attributes['value']}`);
  };
  await update({ description: 'kept' });
  expect(await keys()).toEqual(['a=1', 'b=2']);
  expect(
    (await update({}, { ...bindings({ b: '3', c: '' }), ...tags('second') })).item.attributes['tag-names'],
  ).toEqual(['first', 'second']);
  expect(await keys()).toEqual(['b=3', 'c=']);
  await update({}, bindings({}));
  expect(await keys()).toEqual([]);
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`k${at}`, 'v']));
  expect((await update({ description: 'not kept' }, bindings(many))).errors[0]?.detail).toBe(
    'cannot exceed 10 bindings per resource',
  );
  expect((await ground.call('GET', `/workspaces/${id}`)).item.attributes['description']).toBe('kept');
});

test('a workspace moves to a project; an empty or unchanged project does not move it', async () => {
  const { organization, update } = await existing();
  const target = await ground.project(organization.id);
  const projectOf = (answer: Awaited<ReturnType<typeof update>>) => answer.item.relationships['project']?.data;
  expect(projectOf(await update({}, project('')))).toMatchObject({ id: organization.projectId });
  expect(projectOf(await update({}, { project: { data: null } }))).toMatchObject({ id: organization.projectId });
  expect(projectOf(await update({}, project(target)))).toMatchObject({ id: target });
  expect(projectOf(await update({}, project(target)))).toMatchObject({ id: target });
  expect((await update({}, project('prj-none'))).status).toBe(422);
  expect((await update({}, project((await ground.organization()).projectId))).status).toBe(422);
});

test('only administrators of both projects may move a workspace', async () => {
  const { organization, update } = await existing();
  const target = await ground.project(organization.id);
  const { db } = ground.service.store;
  const team = await ground.team(organization.id);
  const administers = async (projectId: string) => {
    await ground.grant(team.id, { project: projectId }, 'admin');
    await sql`update ws_grants set creates = true, moves = true where team_id = ${team.id} and project_id = ${projectId}`.execute(
      db,
    );
  };
  await ground.grant(team.id, { project: organization.projectId }, 'admin');
  expect((await update({ description: 'a' }, {}, team.token)).status).toBe(200);
  expect((await update({}, project(target), team.token)).status).toBe(422);
  await sql`update ws_grants set moves = true where team_id = ${team.id}`.execute(db);
  expect((await update({}, project(target), team.token)).status).toBe(422);
  await administers(target);
  expect((await update({}, project(target), team.token)).item.relationships['project']?.data).toMatchObject({
    id: target,
  });
  const manager = await ground.team(organization.id, { flags: ['manage-workspaces'] });
  expect((await update({}, project(organization.projectId), manager.token)).status).toBe(422);
});

test('concurrent updates are all kept', async () => {
  const { id, update } = await existing();
  const changes = [
    { 'auto-apply': true },
    { 'queue-all-runs': true },
    { description: 'd' },
    { 'speculative-enabled': false },
  ];
  const answers = await Promise.all(changes.map((change) => update(change)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await ground.call('GET', `/workspaces/${id}`)).item.attributes).toMatchObject(Object.assign({}, ...changes));
});
