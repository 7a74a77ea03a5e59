import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { documentOf } from '../support/documents.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const create = (name: string, more: object = {}, token?: string) =>
  ground.call('POST', '/organizations', documentOf('organizations', { name, email: 'a@b.test', ...more }), token);

test('the creator of an organization is its first owner, and it has a default project', async () => {
  const home = await ground.organization();
  const ada = await ground.user(home.id);
  const made = await create('ada-org', { 'default-execution-mode': 'local', 'session-timeout': 60 }, ada.token);
  expect(made.status).toBe(201);
  expect(made.item).toMatchObject({
    id: 'ada-org',
    type: 'organizations',
    attributes: { name: 'ada-org', email: 'a@b.test', 'default-execution-mode': 'local', 'session-timeout': 60 },
    links: { self: '/api/v2/organizations/ada-org' },
  });
  expect(made.item.attributes['external-id']).toMatch(/^org-/);
  expect(made.item.attributes['permissions']).toMatchObject({ 'can-update': true, 'can-create-workspace': true });
  const shown = await ground.call('GET', '/organizations/ADA-org', undefined, ada.token);
  expect(shown.item).toEqual(made.item);
  const listed = await ground.call('GET', '/organizations', undefined, ada.token);
  expect(listed.items).toContainEqual(made.item);
  expect(listed.items.map(({ id }) => id).toSorted()).toEqual(['ada-org', home.name].toSorted());
  const project = made.item.relationships['default-project']?.data as { id: string };
  expect((await ground.call('GET', `/projects/${project.id}`, undefined, ada.token)).item.attributes['name']).toBe(
    'Default Project',
  );
  const teams = await ground.call('GET', '/organizations/ada-org/teams', undefined, ada.token);
  expect(
    teams.items.map(({ attributes, relationships }) => [attributes['name'], relationships['users']?.data]),
  ).toEqual([['owners', [{ type: 'users', id: ada.id }]]]);
});

test('its document shows its data retention policy', async () => {
  const { name } = await ground.organization();
  const path = `/organizations/${name}`;
  const policyOf = async () => (await ground.call('GET', path)).item.relationships['data-retention-policy']?.data;
  expect(await policyOf()).toBeNull();
  for (const [type, attributes] of [
    ['data-retention-policy-delete-olders', { 'delete-older-than-n-days': 42 }],
    ['data-retention-policy-dont-deletes', {}],
  ] as const) {
    const set = await ground.call('POST', `${path}/relationships/data-retention-policy`, documentOf(type, attributes));
    expect(await policyOf()).toEqual({ id: set.item.id, type });
  }
  const [shown, listed] = await Promise.all([path, `/organizations?q=${name}`].map((at) => ground.call('GET', at)));
  expect(listed?.items).toEqual([shown?.item]);
});

test('a name is unique in any case, can be searched for, and must be valid', async () => {
  expect((await create('taken-name')).status).toBe(201);
  const again = await create('Taken-Name');
  expect([again.status, again.errors[0]?.detail]).toEqual([422, 'Name has already been taken']);
  expect(again.errors[0]?.source?.pointer).toBe('/data/attributes/name');
  for (const bad of ['', 'a b', 'a/b', 'x'.repeat(65), null, 7]) expect((await create(bad as string)).status).toBe(422);
  expect((await create('no-address', { email: 'nobody' })).status).toBe(422);
  expect((await create('no-pool', { 'default-execution-mode': 'agent' })).status).toBe(422);
  const found = await ground.call('GET', '/organizations?q%5Bname%5D=ken_na');
  expect(found.items).toEqual([]);
  expect((await ground.call('GET', '/organizations?q=KEN-na')).items.map(({ id }) => id)).toEqual(['taken-name']);
  const page = await ground.call('GET', '/organizations?page%5Bnumber%5D=999&page%5Bsize%5D=100');
  expect([page.items, page.body?.meta]).toMatchObject([[], { pagination: { 'current-page': 999 } }]);
});

test('owners update only what was sent; other callers get 404', async () => {
  const { id, name } = await ground.organization();
  const owner = await ground.team(id, { owners: true });
  const reader = await ground.team(id);
  const stranger = await ground.user((await ground.organization()).id);
  const change = (attributes: object, token?: string) =>
    ground.call('PATCH', `/organizations/${name}`, documentOf('organizations', attributes), token);
  const first = await change({ 'allow-force-delete-workspaces': true, 'cost-estimation-enabled': true }, owner.token);
  expect(first.item.attributes).toMatchObject({
    'allow-force-delete-workspaces': true,
    'cost-estimation-enabled': true,
    name,
    email: 'a@b.test',
  });
  const second = await change({ 'assessments-enforced': true, 'cost-estimation-enabled': null }, owner.token);
  expect(second.item.attributes).toMatchObject({
    'allow-force-delete-workspaces': true,
    'assessments-enforced': true,
    'cost-estimation-enabled': false,
  });
  for (const { token } of [reader, stranger]) expect((await change({ email: 'x@y.test' }, token)).status).toBe(404);
  expect((await change({ name: `${name}-new` }, owner.token)).item.id).toBe(`${name}-new`);
  expect((await ground.call('GET', `/organizations/${name}`)).status).toBe(404);
});

test('all known entitlements are present', async () => {
  const { id, name } = await ground.organization();
  const { token } = await ground.team(id);
  const { item } = await ground.call('GET', `/organizations/${name}/entitlement-set`, undefined, token);
  expect(item).toMatchObject({
    id,
    type: 'entitlement-sets',
    attributes: { operations: true, 'state-storage': true, teams: true, agents: true, sentinel: false },
  });
});

test('an organization is deleted with its 10,000 workspaces and tokens, and its name becomes free', async () => {
  const { id, name, projectId } = await ground.organization();
  const team = await ground.team(id, { owners: true });
  const token = await ground.organizationToken(id);
  await fill(id, projectId, 10_000);
  expect((await ground.call('DELETE', `/organizations/${name}`, undefined, token)).status).toBe(404);
  expect((await ground.call('DELETE', `/organizations/${name}`, undefined, team.token)).status).toBe(204);
  expect((await ground.call('GET', '/organizations', undefined, token)).status).toBe(401);
  expect(await leftOf(id)).toEqual({ organizations: 0, workspaces: 0 });
  expect((await create(name)).status).toBe(201);
});

test('the sweep completes an interrupted deletion, which no caller can see', async () => {
  const { id, name, projectId } = await ground.organization();
  const { token } = await ground.user(id);
  await fill(id, projectId, 500);
  await sql`update ws_organizations set removed_at = now(), name = id where id = ${id}`.execute(
    ground.service.store.db,
  );
  for (const path of [`/organizations/${name}`, `/organizations/${id}`, `/projects/${projectId}`])
    expect((await ground.call('GET', path)).status, path).toBe(404);
  expect((await ground.call('GET', '/organizations', undefined, token)).items).toEqual([]);
  await ground.service.sweep();
  expect(await leftOf(id)).toEqual({ organizations: 0, workspaces: 0 });
});

async function fill(organizationId: string, projectId: string, count: number): Promise<void> {
  await sql`
    insert into ws_workspaces (id, organization_id, project_id, name, engine_version)
    select 'ws-' || ${projectId} || n, ${organizationId}, ${projectId}, 'w' || n, '1.11.4'
      from generate_series(1, ${count}::int) n`.execute(ground.service.store.db);
}

async function leftOf(id: string) {
  const { rows } = await sql<{ organizations: number; workspaces: number }>`
    select (select count(*)::int from ws_organizations where id = ${id}) as organizations,
           (select count(*)::int from ws_workspaces where organization_id = ${id}) as workspaces`.execute(
    ground.service.store.db,
  );
  return rows[0];
}

test('session times are null until set, and null again after a reset', async () => {
  const made = await create('session-org', {});
  const times = async (attributes: object) =>
    (await ground.call('PATCH', '/organizations/session-org', documentOf('organizations', attributes))).item.attributes;
  expect(made.item.attributes).toMatchObject({ 'session-timeout': null, 'session-remember': null });
  expect(await times({ 'session-timeout': 60 })).toMatchObject({ 'session-timeout': 60, 'session-remember': null });
  expect(await times({ 'session-timeout': null })).toMatchObject({ 'session-timeout': null });
});

test('an agent pool cannot be the default unless the default mode is agent', async () => {
  const { id, name } = await ground.organization();
  const pool = { 'default-agent-pool': { type: 'agent-pools', id: 'apool-none' } };
  const change = (attributes: object) =>
    ground.call('PATCH', `/organizations/${name}`, documentOf('organizations', attributes, pool));
  expect((await change({})).errors).toEqual([
    {
      status: '422',
      title: 'invalid attribute',
      detail: "Default agent pool must not be specified unless using 'agent' execution mode",
      source: { pointer: '/data/attributes/default-agent-pool-id' },
    },
  ]);
  expect((await change({ 'default-execution-mode': 'agent' })).status).toBe(422);
  expect(id).toMatch(/^org-/);
});
