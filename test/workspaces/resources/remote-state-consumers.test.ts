import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { counted } from '#infra/bench/workspaces/statements.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const identifiers = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });

/** A workspace, several others, and the list of its consumers. */
async function stage(others = 3) {
  const organization = await ground.organization();
  const make = () => ground.workspace(organization.id, organization.projectId);
  const subject = await make();
  const beside: string[] = [];
  for (let at = 0; at < others; at += 1) beside.push((await make()).id);
  const path = `/workspaces/${subject.id}/relationships/remote-state-consumers`;
  const list = (query = '', token?: string) => ground.call('GET', `${path}?${query}`, undefined, token);
  const change = (method: 'POST' | 'PATCH' | 'DELETE', body: unknown, token?: string) =>
    ground.call(method, path, body, token);
  const ids = async (token?: string) => (await list('', token)).items.map(({ id }) => id).toSorted();
  return { organization, subject, beside: beside.toSorted(), list, change, ids };
}

const shareGlobally = (id: string) =>
  sql`update ws_workspaces set global_remote_state = true where id = ${id}`.execute(ground.service.store.db);

/** A user whose team has this access to the workspaces. */
async function userWith(organizationId: string, access: 'read' | 'admin', ...workspaces: readonly string[]) {
  const user = await ground.user(organizationId);
  const team = await ground.team(organizationId, { members: [user.id] });
  for (const workspace of workspaces) await ground.grant(team.id, { workspace }, access);
  return { token: user.token, teamId: team.id };
}

describe('consumers', () => {
  test('are added, replaced and removed, and repeated changes are ignored', async () => {
    const { beside, change, ids } = await stage();
    const [a = '', b = '', c = ''] = beside;
    expect((await change('POST', identifiers(a, b))).status).toBe(204);
    expect((await change('POST', identifiers(b, b, c))).status).toBe(204);
    expect(await ids()).toEqual([a, b, c]);
    expect((await change('DELETE', identifiers(a))).status).toBe(204);
    expect((await change('DELETE', identifiers(a, b))).status).toBe(204);
    expect(await ids()).toEqual([c]);
    const replaced = await change('PATCH', identifiers(a, b));
    expect([replaced.status, replaced.text]).toEqual([204, '']);
    expect(await ids()).toEqual([a, b]);
    expect((await change('PATCH', { data: [] })).status).toBe(204);
    expect(await ids()).toEqual([]);
  });

  test('are the other workspaces of the project when the state is shared with the project', async () => {
    const { organization, subject, beside, change, list, ids } = await stage(1);
    const apart = await ground.workspace(organization.id, await ground.project(organization.id));
    expect((await change('POST', identifiers(apart.id))).status).toBe(204);
    expect(await ids()).toEqual([apart.id]);
    const shared = { data: { type: 'workspaces', attributes: { 'project-remote-state': true } } };
    expect((await ground.call('PATCH', `/workspaces/${subject.id}`, shared)).status).toBe(200);
    expect(await ids()).toEqual(beside);
    expect((await list('show_only_configured=true')).items.map(({ id }) => id)).toEqual([apart.id]);
  });

  test('are listed as complete documents in pages', async () => {
    const { beside, list, change } = await stage(5);
    await change('POST', identifiers(...beside));
    const page = await list('page[number]=2&page[size]=2');
    const all = await list('page[size]=100');
    expect(page.items).toEqual(all.items.slice(2, 4));
    expect(page.items[0]).toMatchObject({
      type: 'workspaces',
      attributes: { locked: false, permissions: expect.anything() },
    });
    expect(page.body?.meta).toMatchObject({ pagination: { 'current-page': 2, 'total-count': 5, 'total-pages': 3 } });
    const beyond = await list('page[number]=9');
    expect([beyond.items, beyond.body?.meta]).toMatchObject([[], { pagination: { 'total-count': 5 } }]);
  });

  test('can be sent as complete resources, as clients do', async () => {
    const { beside, change, ids } = await stage(1);
    const [id = ''] = beside;
    const whole = { type: 'workspaces', id, attributes: { name: '', locked: false }, relationships: { project: {} } };
    expect((await change('POST', { data: [whole] })).status).toBe(204);
    expect(await ids()).toEqual([id]);
  });

  test('keep their times when they are added', async () => {
    const { beside, change } = await stage(1);
    const times = async () =>
      (
        await sql`select updated_at, latest_change_at from ws_workspaces where id = ${beside[0]}`.execute(
          ground.service.store.db,
        )
      ).rows;
    const before = await times();
    await change('POST', identifiers(...beside));
    expect(await times()).toEqual(before);
  });
});

describe('a workspace whose state is shared with the organization', () => {
  test('lists all other workspaces, and on request only the configured ones', async () => {
    const { subject, beside, change, list, ids } = await stage();
    await change('POST', identifiers(beside[0] ?? ''));
    await shareGlobally(subject.id);
    expect(await ids()).toEqual(beside);
    expect((await list('show_only_configured=true')).items.map(({ id }) => id)).toEqual([beside[0]]);
  });

  test.each(['POST', 'PATCH', 'DELETE'] as const)('refuses %s', async (method) => {
    const { subject, beside, change } = await stage(1);
    await shareGlobally(subject.id);
    const refused = await change(method, identifiers(...beside));
    expect([refused.status, refused.errors[0]?.title]).toEqual([422, 'unprocessable entity']);
  });

  test('needs few statements, whatever the caller and the size of the list', async () => {
    const { organization, subject, list } = await stage(0);
    await sql`
      insert into ws_workspaces (id, organization_id, project_id, name, engine_version)
      select 'ws-' || md5(${subject.id} || n), ${organization.id}, ${organization.projectId}, 'many-' || n, '1.11.4'
        from generate_series(1, 2000) n`.execute(ground.service.store.db);
    await shareGlobally(subject.id);
    const user = await ground.user(organization.id);
    const team = await ground.team(organization.id, { members: [user.id] });
    await ground.grant(team.id, { project: organization.projectId }, 'read');
    const { answer, statements } = await counted(() => list('page[size]=100&page[number]=3', user.token));
    expect(answer.items).toHaveLength(100);
    expect(answer.body?.meta).toMatchObject({ pagination: { 'total-count': 2000 } });
    expect(statements).toBeLessThanOrEqual(6);
    expect((await counted(() => list('page[size]=1', user.token))).statements).toBe(statements);
  });
});

describe('rights', () => {
  test('the list contains only workspaces that the caller may read', async () => {
    const { organization, subject, beside, change, ids } = await stage();
    await change('POST', identifiers(...beside));
    const [a = '', b = ''] = beside;
    const { token } = await userWith(organization.id, 'read', subject.id, a, b);
    expect(await ids(token)).toEqual([a, b]);
    await shareGlobally(subject.id);
    expect(await ids(token)).toEqual([a, b]);
  });

  test('an administrator of the workspace adds and removes readable workspaces, and cannot replace the list', async () => {
    const { organization, subject, beside, change, ids } = await stage();
    const [a = '', b = ''] = beside;
    const { token } = await userWith(organization.id, 'admin', subject.id, a);
    expect((await change('POST', identifiers(a), token)).status).toBe(204);
    const refused = await change('POST', identifiers(a, b), token);
    expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('not authorized')]);
    await change('POST', identifiers(b));
    expect((await change('DELETE', identifiers(b), token)).status).toBe(422);
    expect((await change('PATCH', identifiers(a), token)).status).toBe(404);
    expect((await change('DELETE', identifiers(a), token)).status).toBe(204);
    expect(await ids()).toEqual([b]);
  });

  test('managers of all workspaces replace the list; readers change nothing, and users of other organizations get 404', async () => {
    const { organization, subject, beside, change, list } = await stage(1);
    const manager = await ground.team(organization.id, { flags: ['manage-workspaces'] });
    const managerOfProjects = await ground.team(organization.id, { flags: ['manage-projects'] });
    const token = await ground.organizationToken(organization.id);
    for (const one of [manager.token, managerOfProjects.token, token])
      expect((await change('PATCH', identifiers(...beside), one)).status).toBe(204);
    const reader = await userWith(organization.id, 'read', subject.id, ...beside);
    for (const method of ['POST', 'PATCH', 'DELETE'] as const)
      expect((await change(method, identifiers(...beside), reader.token)).status).toBe(404);
    const stranger = await ground.user((await ground.organization()).id);
    expect((await list('', stranger.token)).status).toBe(404);
  });
});

describe('what is refused', () => {
  test('the workspace itself, one of another organization, and one that does not exist', async () => {
    const { subject, change, ids } = await stage(0);
    const elsewhere = await ground.organization();
    const foreign = await ground.workspace(elsewhere.id, elsewhere.projectId);
    for (const id of [subject.id, foreign.id, 'ws-nobody'])
      for (const method of ['POST', 'PATCH'] as const) expect((await change(method, identifiers(id))).status).toBe(422);
    expect(await ids()).toEqual([]);
  });

  test.each([
    ['no body', undefined, 400],
    ['no data', {}, 400],
    ['an object', { data: {} }, 422],
    ['texts', { data: ['ws-1'] }, 422],
    ['another type', { data: [{ type: 'runs', id: 'ws-1' }] }, 422],
    ['no id', { data: [{ type: 'workspaces' }] }, 422],
    ['too many', identifiers(...Array.from({ length: 1_001 }, (_, at) => `ws-${at}`)), 422],
  ])('%s', async (_what, body, status) => {
    const { change } = await stage(0);
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) expect((await change(method, body)).status).toBe(status);
  });
});

test('concurrent requests succeed for two workspaces that add each other, and for many that add one', async () => {
  const { organization, subject, beside, change, ids } = await stage(12);
  const mutual = beside.map((id) =>
    ground.call('POST', `/workspaces/${id}/relationships/remote-state-consumers`, identifiers(subject.id)),
  );
  const answers = await Promise.all([...mutual, ...beside.map((id) => change('POST', identifiers(id)))]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
  expect(await ids(), organization.name).toEqual(beside);
});
