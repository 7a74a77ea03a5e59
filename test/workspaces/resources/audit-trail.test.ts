import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { documentOf } from '../support/documents.ts';
import { groundOn, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();
const { call } = ground;
const path = '/organization/audit-trail';

interface Event {
  readonly id: string;
  readonly timestamp: string;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly request: { readonly id: string };
  readonly resource: Readonly<Record<string, unknown>>;
}

interface TrailBody {
  readonly data: readonly Event[];
  readonly pagination: Readonly<Record<string, number | null>>;
}

async function trailOf(token: string, query = ''): Promise<TrailBody> {
  const answer = await call('GET', path + query, undefined, token);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  return JSON.parse(answer.text) as TrailBody;
}

async function auditToken(name: string): Promise<string> {
  const made = await call(
    'POST',
    `/organizations/${name}/authentication-token?token=audit-trails`,
    documentOf('authentication-tokens', {}),
  );
  return String(made.item.attributes['token']);
}

/** The recorded changes, oldest first. */
const changes = ({ data }: TrailBody) =>
  data.map(({ resource }) => [resource['type'], resource['action'], resource['id']]).reverse();

async function stored(organizationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ws_audit_events where organization_id = ${organizationId}`.execute(
    ground.service.store.db,
  );
  return rows[0]?.count ?? 0;
}

/** Makes the events this many days older. */
const age = (organizationId: string, days: number) =>
  sql`update ws_audit_events set made_at = made_at - make_interval(days => ${days}) where organization_id = ${organizationId}`.execute(
    ground.service.store.db,
  );

async function tagged(workspaceId: string, token: string, name: string): Promise<void> {
  const body = { data: [{ type: 'tags', attributes: { name } }] };
  expect((await call('POST', `/workspaces/${workspaceId}/relationships/tags`, body, token)).status).toBe(204);
}

describe('a change', () => {
  test('is in the audit trail of its organization before the reply', async () => {
    const { id, name, projectId } = await ground.organization();
    const token = await auditToken(name);
    const ada = await ground.user(id);
    await ground.team(id, { flags: ['manage-workspaces'], members: [ada.id] });
    const made = await call(
      'POST',
      `/organizations/${name}/workspaces`,
      documentOf('workspaces', { name: 'site' }),
      ada.token,
    );
    const variable = await call(
      'POST',
      `/workspaces/${made.item.id}/vars`,
      documentOf('vars', { key: 'password', value: 'a secret value', category: 'env', sensitive: true }),
      ada.token,
    );
    await tagged(made.item.id, ada.token, 'prod');
    expect((await call('POST', `/workspaces/${made.item.id}/actions/lock`, {}, ada.token)).status).toBe(200);
    expect((await call('POST', `/workspaces/${made.item.id}/actions/unlock`, {}, ada.token)).status).toBe(200);
    expect((await call('DELETE', `/vars/${variable.item.id}`, undefined, ada.token)).status).toBe(204);
    const team = await ground.team(id);
    await call('POST', `/teams/${team.id}/relationships/users`, { data: [{ type: 'users', id: ada.id }] });
    const body = await trailOf(token);
    expect(changes(body)).toEqual([
      ['authentication_token', 'create', expect.stringMatching(/^at-/)],
      ['workspace', 'create', made.item.id],
      ['var', 'create', variable.item.id],
      ['workspace', 'add_tags', made.item.id],
      ['workspace', 'lock', made.item.id],
      ['workspace', 'unlock', made.item.id],
      ['var', 'destroy', variable.item.id],
      ['team', 'add_users', team.id],
    ]);
    expect(body.data[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: '0',
      type: 'Resource',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      auth: {
        accessor_id: ada.id,
        description: ada.id,
        type: 'Client',
        impersonator_id: null,
        organization_id: id,
      },
      request: { id: expect.stringMatching(/./) },
      resource: { id: variable.item.id, type: 'var', action: 'destroy', meta: null },
    });
    expect(JSON.stringify(body)).not.toContain('a secret value');
    expect(projectId).toMatch(/^prj-/);
  });

  test.each([
    ['is accepted by a site administrator', 'accept', 'site administrator'],
    ['is accepted by the invited user', 'accept', 'invited user'],
    ['is declined', 'destroy', 'invited user'],
  ])('is recorded when an invitation %s', async (_title, action, actor) => {
    const { id, name } = await ground.organization();
    const [token, guest] = [await ground.organizationToken(id), await ground.user((await ground.organization()).id)];
    const invitation = documentOf('organization-memberships', { email: `${guest.id}@b.test` });
    const { item } = await call('POST', `/organizations/${name}/organization-memberships`, invitation);
    const membership = `/organization-memberships/${item.id}`;
    const actorToken = actor === 'invited user' ? guest.token : undefined;
    const { status } =
      action === 'accept'
        ? await call('POST', `${membership}/actions/accept`, undefined, actorToken)
        : await call('DELETE', membership, undefined, actorToken);
    expect(status).toBe(action === 'accept' ? 200 : 204);
    const { data } = await trailOf(token);
    expect(data[0]?.resource).toMatchObject({ type: 'organization_membership', action, id: item.id });
    expect(data[0]?.auth['accessor_id']).toBe(actor === 'invited user' ? guest.id : 'user-root');
  });

  test('that was refused, and a read, are not recorded', async () => {
    const { id, name, projectId } = await ground.organization();
    const [token, ada] = [await ground.organizationToken(id), await ground.user(id)];
    const workspace = await ground.workspace(id, projectId);
    expect((await call('PATCH', `/workspaces/${workspace.id}`, documentOf('workspaces', {}), ada.token)).status).toBe(
      404,
    );
    expect((await call('GET', `/organizations/${name}`, undefined, token)).status).toBe(200);
    expect((await trailOf(token)).data).toEqual([]);
  });

  test('that cannot be recorded is 500', async () => {
    const { id, projectId } = await ground.organization();
    const [token, workspace] = [await ground.organizationToken(id), await ground.workspace(id, projectId)];
    await sql`alter table ws_audit_events rename to away`.execute(ground.service.store.db);
    try {
      const body = { data: [{ type: 'tags', attributes: { name: 'prod' } }] };
      const answer = await call('POST', `/workspaces/${workspace.id}/relationships/tags`, body, token);
      expect(answer.status).toBe(500);
    } finally {
      await sql`alter table away rename to ws_audit_events`.execute(ground.service.store.db);
    }
    await tagged(workspace.id, token, 'other');
    expect(await stored(id)).toBe(1);
  });

  test('made concurrently with many others is recorded once, in its own organization', async () => {
    const made = await Promise.all(
      [1, 2, 3].map(async () => {
        const { id, projectId } = await ground.organization();
        return { id, token: await ground.organizationToken(id), workspace: await ground.workspace(id, projectId) };
      }),
    );
    const numbers = Array.from({ length: 8 }, (_, number) => `t${number}`);
    await Promise.all(made.flatMap(({ token, workspace }) => numbers.map((name) => tagged(workspace.id, token, name))));
    for (const { id, token, workspace } of made) {
      const body = await trailOf(token);
      expect(body.data).toHaveLength(numbers.length);
      expect(
        body.data.every(({ resource, auth }) => resource['id'] === workspace.id && auth['accessor_id'] === id),
      ).toBe(true);
    }
  });
});

describe('the list', () => {
  test('is ordered newest first, has pages, and can start at a time', async () => {
    const { id, projectId } = await ground.organization();
    const [token, workspace] = [await ground.organizationToken(id), await ground.workspace(id, projectId)];
    for (const name of ['a', 'b', 'c']) await tagged(workspace.id, token, name);
    const all = await trailOf(token);
    expect(all.pagination).toEqual({
      current_page: 1,
      prev_page: null,
      next_page: null,
      total_pages: 1,
      total_count: 3,
    });
    const times = all.data.map(({ timestamp }) => timestamp);
    expect(times).toEqual([...times].sort().reverse());
    const second = await trailOf(token, '?page[number]=2&page[size]=2');
    expect(second.data).toEqual(all.data.slice(2));
    expect(second.pagination).toEqual({
      current_page: 2,
      prev_page: 1,
      next_page: null,
      total_pages: 2,
      total_count: 3,
    });
    expect((await trailOf(token, '?page[number]=9')).data).toEqual([]);
    await age(id, 1);
    await tagged(workspace.id, token, 'd');
    const { data } = await trailOf(token, `?since=${times[0]}`);
    expect(data).toHaveLength(1);
    expect(await trailOf(token, `?since=${data[0]?.timestamp}`)).toMatchObject({ data });
    expect((await trailOf(token, '?since=2999-01-01T00:00:00.000Z')).data).toEqual([]);
    for (const since of ['', '0000-01-01T00:00:00Z', '2020-05-30T17:52:46.000Z'])
      expect((await trailOf(token, `?since=${since}`)).data).toHaveLength(4);
  });

  test.each([
    '?since=yesterday',
    '?since=2026-02-30T00:00:00Z',
    '?since=%00',
    '?since=2026-13-45T99:99:99Z',
    '?page[number]=0',
    '?page[size]=x',
  ])('%s is a bad request', async (query) => {
    const { id } = await ground.organization();
    const answer = await call('GET', path + query, undefined, await ground.organizationToken(id));
    expect([answer.status, answer.errors[0]?.title]).toEqual([400, 'bad request']);
  });

  test('is available to tokens of the organization and of its audit trail', async () => {
    const [one, other] = [await ground.organization(), await ground.organization()];
    const workspace = await ground.workspace(one.id, one.projectId);
    await tagged(workspace.id, await ground.organizationToken(one.id), 'prod');
    const owner = await ground.user(one.id);
    const team = await ground.team(one.id, { owners: false, members: [owner.id] });
    for (const token of [owner.token, team.token, undefined])
      expect((await call('GET', path, undefined, token)).status).toBe(404);
    expect((await call('GET', path, undefined, 'nobody')).status).toBe(401);
    expect(changes(await trailOf(await auditToken(other.name)))).toEqual([
      ['authentication_token', 'create', expect.anything()],
    ]);
    expect(changes(await trailOf(await auditToken(one.name)))[0]).toEqual(['workspace', 'add_tags', workspace.id]);
  });
});

describe('the retention of events', () => {
  test('hides expired events from the list immediately, and the sweep deletes them', async () => {
    const { id, projectId } = await ground.organization();
    const [token, workspace] = [await ground.organizationToken(id), await ground.workspace(id, projectId)];
    await tagged(workspace.id, token, 'old');
    await age(id, 13);
    await tagged(workspace.id, token, 'new');
    await ground.service.sweep();
    expect(await stored(id)).toBe(2);
    await age(id, 2);
    expect((await trailOf(token)).pagination).toMatchObject({ total_count: 1 });
    await ground.service.sweep();
    expect(await stored(id)).toBe(1);
  });

  test('ends with the organization', async () => {
    const { id, name, projectId } = await ground.organization();
    await tagged((await ground.workspace(id, projectId)).id, await ground.organizationToken(id), 'prod');
    expect(await stored(id)).toBe(1);
    expect((await call('DELETE', `/organizations/${name}`)).status).toBe(204);
    expect(await stored(id)).toBe(0);
  });
});

describe('with 0 days', () => {
  const none = groundOn(serviceOf([], { KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: '0', KEYFERRY_AUDIT_TRAIL_DAYS: '0' }));

  test('no event is stored', async () => {
    const { id, projectId } = await none.organization();
    const [token, workspace] = [await none.organizationToken(id), await none.workspace(id, projectId)];
    const body = { data: [{ type: 'tags', attributes: { name: 'prod' } }] };
    expect((await none.call('POST', `/workspaces/${workspace.id}/relationships/tags`, body, token)).status).toBe(204);
    const { rows } = await sql`select 1 from ws_audit_events`.execute(none.service.store.db);
    expect(rows).toEqual([]);
    expect(JSON.parse((await none.call('GET', path, undefined, token)).text)).toMatchObject({ data: [] });
  });
});
