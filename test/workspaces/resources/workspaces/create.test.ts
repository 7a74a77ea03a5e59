import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { newId } from '#workspaces/frame/ids.ts';
import { workspaceGround } from '../../support/ground.ts';
import { bindings, problemsIn, project, tags, workspaceBody } from './bodies.ts';

const ground = workspaceGround();

const listOf = async () => {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/workspaces`;
  const create = (attributes: object, relationships?: object, token?: string) =>
    ground.call('POST', path, workspaceBody(attributes, relationships), token);
  return { organization, path, create };
};

test('a new workspace has the defaults, and the same document in every reply', async () => {
  const { organization, path, create } = await listOf();
  const made = await create({ name: 'net_1-A' });
  expect(made.status).toBe(201);
  expect(made.item.id).toMatch(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/);
  expect(made.item.attributes).toMatchObject({
    name: 'net_1-A',
    description: null,
    environment: 'default',
    actions: { 'is-destroyable': true },
    'allow-destroy-plan': true,
    'auto-apply': false,
    'execution-mode': 'remote',
    operations: true,
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
    'file-triggers-enabled': true,
    'global-remote-state': false,
    locked: false,
    'queue-all-runs': false,
    'resource-count': 0,
    source: 'tfe-api',
    'speculative-enabled': true,
    'structured-run-output-enabled': true,
    'tag-names': [],
    'terraform-version': 'latest',
    'engine-version': 'latest',
    'trigger-patterns': [],
    'trigger-prefixes': [],
    'vcs-repo': null,
    'working-directory': null,
    permissions: { 'can-update': true, 'can-force-delete': true },
  });
  expect(made.item.attributes['created-at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(made.item.links).toEqual({
    self: `/api/v2${path}/net_1-A`,
    'self-html': `/app/${organization.name}/workspaces/net_1-A`,
  });
  expect(made.item.relationships).toMatchObject({
    organization: { data: { type: 'organizations', id: organization.name } },
    project: { data: { type: 'projects', id: organization.projectId } },
    'current-run': { data: null },
    'locked-by': { data: null },
    'data-retention-policy': { data: null },
  });
  expect((await ground.call('GET', `/workspaces/${made.item.id}`)).item).toEqual(made.item);
  expect((await ground.call('GET', `${path}/net_1-A`)).item).toEqual(made.item);
  expect((await ground.call('GET', path)).items).toEqual([made.item]);
  const changed = await ground.call('PATCH', `/workspaces/${made.item.id}`, workspaceBody({}));
  expect((await ground.call('GET', path)).items).toEqual([changed.item]);
});

test('every attribute of a request is stored, under either of its names', async () => {
  const { create } = await listOf();
  const attributes = {
    name: 'all',
    'allow-destroy-plan': false,
    'auto-apply': true,
    'auto-apply-run-trigger': true,
    'auto-destroy-activity-duration': '14d',
    description: 'of all',
    'file-triggers-enabled': false,
    'project-remote-state': true,
    'queue-all-runs': true,
    'source-name': 'a client',
    'source-url': 'https://client.test/',
    'speculative-enabled': false,
    'trigger-prefixes': ['/modules', '/shared'],
  };
  const made = await create({
    ...attributes,
    terraform_version: '~> 1.5.0',
    working_directory: 'net/',
    'auto-destroy-at': '2031-02-03T04:05:06+01:00',
    operations: false,
  });
  expect(problemsIn(made)).toEqual([]);
  expect(made.item.attributes).toMatchObject({
    ...attributes,
    actions: { 'is-destroyable': false },
    'engine-version': '~> 1.5.0',
    'terraform-version': '~> 1.5.0',
    'working-directory': 'net/',
    'auto-destroy-at': '2031-02-03T03:05:06.000Z',
    'execution-mode': 'local',
    operations: false,
    'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
  });
});

test('flat tags and bindings are created with the workspace, tags in their order', async () => {
  const { create } = await listOf();
  const made = await create({ name: 'tagged' }, { ...tags('Zone', 'app'), ...bindings({ team: 'core' }) });
  expect(made.item.attributes['tag-names']).toEqual(['zone', 'app']);
  const shown = await ground.call('GET', `/workspaces/${made.item.id}?include=effective_tag_bindings`);
  expect(shown.body?.included).toMatchObject([
    { type: 'effective-tag-bindings', attributes: { key: 'team', value: 'core' } },
  ]);
});

const wrong: readonly (readonly [object, string])[] = [
  [{}, "/data/attributes/name: Name can't be blank"],
  [{ name: '' }, "/data/attributes/name: Name can't be blank"],
  [{ name: 'a b' }, '/data/attributes/name: Name can only include letters, numbers, -, and _'],
  [{ name: 'n'.repeat(91) }, '/data/attributes/name: Name is too long (maximum is 90 characters)'],
  [{ name: 7 }, '/data/attributes/name: Name must be a string'],
  [{ 'auto-apply': 'yes' }, '/data/attributes/auto-apply: Auto apply must be true or false'],
  [{ 'execution-mode': 'moon' }, '/data/attributes/execution-mode: Execution mode must be one of remote, local, agent'],
  [
    { 'execution-mode': 'local', operations: false },
    '/data/attributes/operations: Operations is deprecated and cannot be specified when execution mode is used',
  ],
  [
    { 'execution-mode': 'agent' },
    "/data/attributes/agent-pool-id: Agent pool must be specified when using 'agent' execution mode",
  ],
  [
    { 'agent-pool-id': 'apool-1' },
    "/data/attributes/agent-pool-id: Agent pool must not be specified unless using 'agent' execution mode",
  ],
  [
    { 'agent-pool-id': 'apool-1', operations: true },
    "/data/attributes/agent-pool-id: Agent pool must not be specified unless using 'agent' execution mode",
  ],
  [
    { 'agent-pool-id': 'apool-1', 'execution-mode': 'agent' },
    '/data/attributes/agent-pool-id: Agent pool not found, or you are not authorized to use it.',
  ],
  [
    { 'setting-overwrites': { 'execution-mode': true, 'agent-pool': false } },
    '/data/attributes/setting-overwrites: If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
  ],
  [
    { 'setting-overwrites': { 'execution-mode': true } },
    '/data/attributes/execution-mode: Execution mode must be specified when setting-overwrites.execution-mode is true',
  ],
  [
    { 'setting-overwrites': { 'auto-apply': true } },
    '/data/attributes/setting-overwrites: Setting overwrites may have execution-mode and agent-pool only',
  ],
  [{ 'setting-overwrites': [] }, '/data/attributes/setting-overwrites: Setting overwrites must be an object'],
  [
    { 'terraform-version': 'nonexisting' },
    '/data/attributes/engine-version: Engine version is not a known version, "latest" or a constraint that one meets',
  ],
  ...['0d', '12345d', '3w', '-1d', 'd'].map(
    (duration) =>
      [
        { 'auto-destroy-activity-duration': duration },
        "/data/attributes/auto-destroy-activity-duration: Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
      ] as const,
  ),
  ...['soon', '2027-02-30T00:00:00Z', '2027-02-29T00:00:00Z', '2027-13-01T00:00:00Z', '2027-04-31T00:00:00.000Z'].map(
    (time) => [{ 'auto-destroy-at': time }, '/data/attributes/auto-destroy-at: Auto destroy at is not a time'] as const,
  ),
  [
    { 'trigger-patterns': ['/**/*'], 'trigger-prefixes': ['/a'] },
    '/data/attributes/trigger-patterns: Trigger patterns and trigger prefixes cannot be used together',
  ],
  [
    { 'global-remote-state': true, 'project-remote-state': true },
    '/data/attributes/project-remote-state: Project remote state cannot be enabled when global remote state sharing is enabled',
  ],
  [{ 'vcs-repo': 'a/b' }, '/data/attributes/vcs-repo: Vcs repo must be an object'],
  [
    { 'vcs-repo': { identifier: 'a/b' } },
    '/data/attributes/vcs-repo/oauth-token-id: Vcs repo must include oauth-token-id and identifier',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1' } },
    '/data/attributes/vcs-repo/identifier: Vcs repo must include oauth-token-id and identifier',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'alone' } },
    '/data/attributes/vcs-repo/identifier: Vcs repo identifier must have the form :org/:repo or :org/:project/_git/:repo',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', 'github-app-installation-id': 'ghain-1', identifier: 'a/b' } },
    '/data/attributes/vcs-repo/oauth-token-id: Vcs repo may have an OAuth token or an app installation, not both',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'a/b' } },
    '/data/attributes/vcs-repo/oauth-token-id: OAuth token not found, or you are not authorized to use it.',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'a/b', 'tags-regex': '^v' }, 'trigger-patterns': ['*'] },
    '/data/attributes/vcs-repo/tags-regex: Tags regex and trigger patterns cannot be used together',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'a/b', 'tags-regex': '^v' }, 'trigger-prefixes': ['a'] },
    '/data/attributes/vcs-repo/tags-regex: Tags regex and trigger prefixes cannot be used together',
  ],
  [
    { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'a/b', 'tags-regex': '^v' }, 'file-triggers-enabled': true },
    '/data/attributes/vcs-repo/tags-regex: Tags regex cannot be used when file triggers are enabled',
  ],
  ...['v(', '[a-', 'v{2,1}', '*'].map(
    (regex) =>
      [
        { 'vcs-repo': { 'oauth-token-id': 'ot-1', identifier: 'a/b', 'tags-regex': regex } },
        '/data/attributes/vcs-repo/tags-regex: Vcs repo tags regex is not a regular expression',
      ] as const,
  ),
  [
    { 'working-directory': 'a/../../b' },
    '/data/attributes/working-directory: Working directory must be below the root of the repository',
  ],
];

test('settings that break a rule are refused with the text of the rule', async () => {
  const { create, path } = await listOf();
  for (const [attributes, problem] of wrong) {
    const name = 'name' in attributes || Object.keys(attributes).length === 0 ? {} : { name: 'ok' };
    const answer = await create({ ...name, ...attributes });
    expect([answer.status, problemsIn(answer)], JSON.stringify(attributes)).toEqual([422, [problem]]);
  }
  expect((await ground.call('GET', path)).items).toEqual([]);
});

test('released versions of the engine are accepted', async () => {
  const { create } = await listOf();
  const versions = [
    '0.10.0',
    '0.11.0',
    '0.11.1',
    '0.15.4',
    '1.11.4',
    '1.12.0-rc1',
    'latest',
    '~> 1.0.0',
    '>= 1.2, < 2.0.0',
  ];
  for (const [at, version] of versions.entries())
    expect((await create({ name: `v${at}`, 'terraform-version': version })).status, version).toBe(201);
  for (const version of ['0.0.1', '2.0.0', '1.2', '>= 2.0', '~> x', '', '1.0.0,'])
    expect((await create({ name: 'no', 'terraform-version': version })).status, version).toBe(
      version === '1.2' ? 201 : 422,
    );
});

test('a name is unique in its organization in any case, even for concurrent requests', async () => {
  const { create } = await listOf();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, at) => create({ name: at % 2 === 0 ? 'one' : 'ONE' })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.filter(({ status }) => status !== 201);
  for (const answer of refused) {
    expect(answer.status).toBe(422);
    expect(problemsIn(answer)).toEqual(['/data/attributes/name: Name has already been taken']);
  }
  expect((await (await listOf()).create({ name: 'one' })).status).toBe(201);
});

test('the reply to a change includes no related resources, even if requested', async () => {
  const { path } = await listOf();
  const made = await ground.call('POST', `${path}?include=nothing`, workspaceBody({ name: 'a' }));
  expect([made.status, made.body?.included]).toEqual([201, undefined]);
  const changed = await ground.call('PATCH', `/workspaces/${made.item.id}?include=nothing`, workspaceBody({}));
  expect([changed.status, changed.body?.included]).toEqual([200, undefined]);
});

test('bodies other than a document of a workspace are refused', async () => {
  const { path } = await listOf();
  const bodies: readonly (readonly [unknown, number])[] = [
    [undefined, 400],
    [{}, 400],
    [{ data: [] }, 400],
    [{ data: { type: 'runs', attributes: { name: 'a' } } }, 422],
    [{ data: { attributes: { name: 'a' } } }, 422],
    [{ data: { type: 'workspaces', attributes: [] } }, 400],
    [{ data: { type: 'workspaces' } }, 422],
    [workspaceBody({ name: 'a' }, { project: { data: { id: 7 } } }), 422],
    [workspaceBody({ name: 'a' }, { tags: { data: [{ type: 'tags', attributes: {} }] } }), 422],
    [workspaceBody({ name: 'a' }, { 'tag-bindings': { data: 'x' } }), 422],
    [workspaceBody({ name: 'a\0' }), 422],
    [workspaceBody({ name: 'a', description: 'b\0' }), 400],
  ];
  for (const [body, status] of bodies)
    expect((await ground.call('POST', path, body)).status, JSON.stringify(body)).toBe(status);
});

test('a project that does not exist or belongs to another organization is 422', async () => {
  const { create } = await listOf();
  const other = await ground.organization();
  for (const id of ['prj-none', other.projectId]) {
    const answer = await create({ name: 'a' }, project(id));
    expect([answer.status, answer.errors[0]]).toEqual([
      422,
      {
        status: '422',
        title: 'unprocessable entity',
        detail: 'Project not found, or you are not authorized to use it.',
      },
    ]);
  }
});

test('without an execution mode a workspace uses that of its project, else that of its organization', async () => {
  const { organization, create } = await listOf();
  const [pool, projectId] = [newId('apool'), await ground.project(organization.id)];
  const { db } = ground.service.store;
  await sql`insert into ws_agent_pools (id, organization_id, name) values (${pool}, ${organization.id}, 'p')`.execute(
    db,
  );
  await sql`update ws_organizations set default_execution_mode = 'local' where id = ${organization.id}`.execute(db);
  await sql`update ws_projects set default_execution_mode = 'agent', default_agent_pool_id = ${pool},
    auto_destroy_activity_duration = '3d' where id = ${projectId}`.execute(db);
  const inherits = { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } };
  const ofOrganization = await create({ name: 'a' });
  expect(ofOrganization.item.attributes).toMatchObject({ 'execution-mode': 'local', ...inherits });
  const ofProject = await create({ name: 'b', 'execution-mode': 'remote', ...inherits }, project(projectId));
  expect(ofProject.item.attributes).toMatchObject({
    'execution-mode': 'agent',
    'auto-destroy-activity-duration': '3d',
    'inherits-project-auto-destroy': true,
    ...inherits,
  });
  expect(ofProject.item.relationships['agent-pool']?.data).toEqual({ type: 'agent-pools', id: pool });
  const own = await create({ name: 'c', 'execution-mode': 'agent', 'agent-pool-id': pool });
  expect(own.item.attributes['setting-overwrites']).toEqual({ 'execution-mode': true, 'agent-pool': true });
  const cleared = await create({ name: 'd', 'execution-mode': 'remote', 'agent-pool-id': '' });
  expect([cleared.status, cleared.item.relationships['agent-pool']?.data]).toEqual([201, null]);
});
