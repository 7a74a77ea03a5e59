import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { counted } from '#infra/bench/workspaces/statements.ts';
import { type Answer, workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const pool = (attributes: object, relationships: object = {}) => ({
  data: { type: 'agent-pools', attributes, relationships },
});
const to = (type: string, ...ids: readonly unknown[]) => ({ data: ids.map((id) => ({ type, id })) });
const namesIn = ({ items }: Answer) => items.map(({ attributes }) => attributes['name']);
const idsOf = (answer: Answer, relationship: string) =>
  ((answer.item.relationships[relationship]?.data ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);

async function stage() {
  const organization = await ground.organization();
  const path = `/organizations/${organization.name}/agent-pools`;
  const make = (name: string, more: object = {}, relationships: object = {}) =>
    ground.call('POST', path, pool({ name, ...more }, relationships));
  const list = (query = '', token?: string) => ground.call('GET', `${path}?${query}`, undefined, token);
  const workspace = () => ground.workspace(organization.id, organization.projectId);
  return { organization, path, make, list, workspace };
}

describe('agent pools', () => {
  test('are created, read, renamed and deleted', async () => {
    const { organization, make } = await stage();
    const made = await make('build');
    expect(made.status).toBe(201);
    const { id } = made.item;
    expect(made.item).toMatchObject({
      id: expect.stringMatching(/^apool-\w{16}$/),
      type: 'agent-pools',
      attributes: { name: 'build', 'organization-scoped': true, 'agent-count': 0 },
      relationships: { organization: { data: { id: organization.name } }, workspaces: { data: [] } },
    });
    expect((await ground.call('GET', `/agent-pools/${id}`)).item).toEqual(made.item);
    const changed = await ground.call('PATCH', `/agent-pools/${id}`, pool({ 'organization-scoped': false }));
    expect([changed.status, changed.item.attributes]).toEqual([
      200,
      { ...made.item.attributes, 'organization-scoped': false },
    ]);
    expect((await ground.call('GET', `/agent-pools/${id}/agents`)).items).toEqual([]);
    expect((await ground.call('DELETE', `/agent-pools/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await ground.call(method, `/agent-pools/${id}`)).status).toBe(404);
  });

  test('have names that are unique in their organization in any case', async () => {
    const { make } = await stage();
    await make('build');
    const again = await make('Build');
    expect([again.status, again.errors[0]?.detail]).toEqual([422, 'Name has already been taken']);
    const other = await make('other');
    expect((await ground.call('PATCH', `/agent-pools/${other.item.id}`, pool({ name: 'build' }))).status).toBe(422);
    expect((await (await stage()).make('build')).status).toBe(201);
  });

  test.each([
    ['no body', undefined, 400],
    ['no name', pool({}), 422],
    ['an empty name', pool({ name: '' }), 422],
    ['a number', pool({ name: 7 }), 422],
    ['a string for a flag', pool({ name: 'a', 'organization-scoped': 'yes' }), 422],
    ['another type', { data: { type: 'pools', attributes: { name: 'a' } } }, 422],
    ['workspaces that do not exist', pool({ name: 'a' }, { 'allowed-workspaces': to('workspaces', 'ws-x') }), 422],
    ['workspaces without ids', pool({ name: 'a' }, { 'allowed-workspaces': to('workspaces', 7) }), 422],
  ])('cannot be created with %s', async (_what, body, status) => {
    const { path, list } = await stage();
    expect((await ground.call('POST', path, body)).status).toBe(status);
    expect((await list()).items).toEqual([]);
  });

  test('serve the workspaces and projects that they allow or do not exclude', async () => {
    const { organization, make, workspace } = await stage();
    const [named, other] = [await workspace(), await workspace()];
    const narrow = { 'organization-scoped': false };
    const ofWorkspace = await make('a', narrow, { 'allowed-workspaces': to('workspaces', named.id) });
    const ofProject = await make('b', narrow, { 'allowed-projects': to('projects', organization.projectId) });
    const forNobody = await make('c', narrow);
    const wide = await make('d', {}, { 'excluded-workspaces': to('workspaces', named.id) });
    const runOn = async (workspaceId: string, { item }: Answer) => {
      const attributes = { 'execution-mode': 'agent', 'agent-pool-id': item.id };
      const { status, errors } = await ground.call('PATCH', `/workspaces/${workspaceId}`, {
        data: { type: 'workspaces', attributes },
      });
      return errors[0]?.detail ?? status;
    };
    const refused = 'Agent pool not found, or you are not authorized to use it.';
    const pools = [ofWorkspace, ofProject, forNobody, wide];
    const answersOf = async (id: string) => {
      const answers: unknown[] = [];
      for (const one of pools) answers.push(await runOn(id, one));
      return answers;
    };
    expect(await answersOf(named.id)).toEqual([200, 200, refused, refused]);
    expect(await answersOf(other.id)).toEqual([refused, 200, refused, 200]);
    const byDefault = async ({ item }: Answer, name?: string) => {
      const attributes = { name, 'default-execution-mode': 'agent' };
      const relationships = { 'default-agent-pool': { data: { type: 'agent-pools', id: item.id } } };
      return ground.call('PATCH', `/projects/${organization.projectId}`, {
        data: { type: 'projects', attributes, relationships },
      });
    };
    const statuses: number[] = [];
    for (const one of pools) statuses.push((await byDefault(one)).status);
    expect(statuses).toEqual([422, 200, 422, 200]);
    await byDefault(ofProject);
    await ground.call('PATCH', `/agent-pools/${ofProject.item.id}`, pool({}, { 'allowed-projects': to('projects') }));
    // Workspaces that use the pool keep it.
    expect((await byDefault(ofProject, 'renamed')).status).toBe(200);
    expect([await runOn(other.id, wide), await runOn(other.id, ofProject)]).toEqual([200, refused]);
  });

  test('can be limited to workspaces and projects, until these are deleted', async () => {
    const { organization, make, list, workspace } = await stage();
    const [one, two] = [await workspace(), await workspace()];
    const elsewhere = await ground.organization();
    const made = await make(
      'narrow',
      { 'organization-scoped': false },
      { 'allowed-workspaces': to('workspaces', one.id), 'allowed-projects': to('projects', organization.projectId) },
    );
    expect(idsOf(made, 'allowed-workspaces')).toEqual([one.id]);
    expect(idsOf(made, 'allowed-projects')).toEqual([organization.projectId]);
    await make('wide');
    expect(namesIn(await list(`filter[allowed_workspaces][name]=${two.name}`))).toEqual(['wide']);
    expect(namesIn(await list(`filter[allowed_workspaces][name]=${one.name}`))).toEqual(['narrow', 'wide']);
    const path = `/agent-pools/${made.item.id}`;
    const replaced = await ground.call(
      'PATCH',
      path,
      pool({}, { 'allowed-workspaces': to('workspaces', two.id), 'excluded-workspaces': to('workspaces', one.id) }),
    );
    expect([idsOf(replaced, 'allowed-workspaces'), idsOf(replaced, 'excluded-workspaces')]).toEqual([
      [two.id],
      [one.id],
    ]);
    expect(idsOf(replaced, 'allowed-projects')).toEqual([organization.projectId]);
    const foreign = pool({ name: 'x' }, { 'allowed-projects': to('projects', elsewhere.projectId) });
    expect((await ground.call('PATCH', path, foreign)).status).toBe(422);
    expect((await ground.call('GET', path)).item.attributes['name']).toBe('narrow');
    const cleared = await ground.call('PATCH', path, pool({}, { 'allowed-workspaces': to('workspaces') }));
    expect(idsOf(cleared, 'allowed-workspaces')).toEqual([]);
  });

  test('are listed by name or time, in pages and few statements', async () => {
    const { make, list } = await stage();
    for (const name of ['b', 'a', 'C', 'under_score']) await make(name);
    expect(namesIn(await list())).toEqual(['a', 'b', 'C', 'under_score']);
    expect(namesIn(await list('sort=-name&page[size]=2'))).toEqual(['under_score', 'C']);
    expect(namesIn(await list('sort=created-at'))).toEqual(['b', 'a', 'C', 'under_score']);
    expect(namesIn(await list('q=R_S'))).toEqual(['under_score']);
    expect((await list('sort=other')).status).toBe(400);
    expect((await list('page[number]=9')).body?.meta).toMatchObject({ pagination: { 'total-count': 4 } });
    expect((await counted(() => list())).statements).toBeLessThanOrEqual(6);
  });

  test.each([
    ['a workspace', sql`update ws_workspaces set agent_pool_id = `, sql`where organization_id = `],
    ['a project', sql`update ws_projects set default_agent_pool_id = `, sql`where organization_id = `],
    ['its organization', sql`update ws_organizations set default_agent_pool_id = `, sql`where id = `],
  ])('cannot be deleted while %s uses them', async (_what, update, where) => {
    const { organization, make, workspace } = await stage();
    await workspace();
    const { id } = (await make('used')).item;
    const { db } = ground.service.store;
    await sql`${update} ${id} ${where} ${organization.id}`.execute(db);
    expect((await ground.call('DELETE', `/agent-pools/${id}`)).status).toBe(422);
    await sql`${update} ${null} ${where} ${organization.id}`.execute(db);
    expect((await ground.call('DELETE', `/agent-pools/${id}`)).status).toBe(204);
  });

  test('show those of their workspaces that the caller may read', async () => {
    const { organization, make, workspace } = await stage();
    const { id } = (await make('used')).item;
    const [mine, hidden] = [await workspace(), await workspace()];
    await sql`update ws_workspaces set agent_pool_id = ${id} where organization_id = ${organization.id}`.execute(
      ground.service.store.db,
    );
    const reader = await ground.team(organization.id);
    await ground.grant(reader.id, { workspace: mine.id }, 'read');
    expect(idsOf(await ground.call('GET', `/agent-pools/${id}`, undefined, reader.token), 'workspaces')).toEqual([
      mine.id,
    ]);
    expect(idsOf(await ground.call('GET', `/agent-pools/${id}`), 'workspaces')).toEqual(
      [mine.id, hidden.id].toSorted(),
    );
  });
});

describe('tokens of agents', () => {
  const body = (description: unknown) => ({ data: { type: 'authentication-tokens', attributes: { description } } });

  test('are shown once, listed and deleted', async () => {
    const { make } = await stage();
    const { id } = (await make('build')).item;
    const path = `/agent-pools/${id}/authentication-tokens`;
    const made = await ground.call('POST', path, body('runner 1'));
    expect(made.status).toBe(201);
    const token = String(made.item.attributes['token']);
    expect(made.item).toMatchObject({ id: expect.stringMatching(/^at-/), attributes: { description: 'runner 1' } });
    const list = await ground.call('GET', path);
    expect(list.items).toEqual([{ ...made.item, attributes: { ...made.item.attributes, token: null } }]);
    expect((await ground.call('GET', `${path}/${made.item.id}`)).item).toEqual(list.items[0]);
    expect(list.text).not.toContain(token);
    expect((await ground.call('GET', '/agent-pools/x', undefined, token)).status).toBe(404);
    expect((await ground.call('DELETE', `${path}/${made.item.id}`)).status).toBe(204);
    expect((await ground.call('GET', path)).items).toEqual([]);
    expect((await ground.call('DELETE', `${path}/${made.item.id}`)).status).toBe(404);
  });

  test('can be created as `agent-tokens`, as existing clients do', async () => {
    const { make } = await stage();
    const path = `/agent-pools/${(await make('build')).item.id}/authentication-tokens`;
    const made = await ground.call('POST', path, { data: { type: 'agent-tokens', attributes: { description: 'x' } } });
    expect([made.status, made.item.type]).toEqual([201, 'authentication-tokens']);
  });

  test('can be read and deleted by id alone by managers of the pool', async () => {
    const { organization, make } = await stage();
    const path = `/agent-pools/${(await make('build')).item.id}/authentication-tokens`;
    const { id } = (await ground.call('POST', path, body('x'))).item;
    const one = `/authentication-tokens/${id}`;
    const member = await ground.team(organization.id, { flags: ['manage-workspaces'] });
    const stranger = await ground.user((await ground.organization()).id);
    for (const { token } of [member, stranger])
      for (const method of ['GET', 'DELETE'])
        expect((await ground.call(method, one, undefined, token)).status).toBe(404);
    expect((await ground.call('GET', one)).item).toEqual((await ground.call('GET', `${path}/${id}`)).item);
    expect((await ground.call('DELETE', one)).status).toBe(204);
    expect([(await ground.call('GET', one)).status, (await ground.call('DELETE', one)).status]).toEqual([404, 404]);
  });

  test('belong to their pool', async () => {
    const { make } = await stage();
    const [one, two] = [(await make('one')).item.id, (await make('two')).item.id];
    const { id } = (await ground.call('POST', `/agent-pools/${one}/authentication-tokens`, body('x'))).item;
    expect((await ground.call('DELETE', `/agent-pools/${two}/authentication-tokens/${id}`)).status).toBe(404);
    for (const description of [undefined, '', 7, 'x'.repeat(256)])
      expect((await ground.call('POST', `/agent-pools/${one}/authentication-tokens`, body(description))).status).toBe(
        422,
      );
  });
});

test('members read pools, managers of pools change them, and users of other organizations get 404', async () => {
  const { organization, path, make, list } = await stage();
  const { id } = (await make('build')).item;
  const manager = await ground.team(organization.id, { flags: ['manage-agent-pools'] });
  const member = await ground.team(organization.id, { flags: ['manage-workspaces'] });
  const stranger = await ground.user((await ground.organization()).id);
  const token = { data: { type: 'authentication-tokens', attributes: { description: 'x' } } };
  const statuses = async (caller: string) => [
    (await list('', caller)).status,
    (await ground.call('GET', `/agent-pools/${id}`, undefined, caller)).status,
    (await ground.call('POST', path, pool({ name: 'new' }), caller)).status,
    (await ground.call('PATCH', `/agent-pools/${id}`, pool({ name: 'build' }), caller)).status,
    (await ground.call('GET', `/agent-pools/${id}/authentication-tokens`, undefined, caller)).status,
    (await ground.call('POST', `/agent-pools/${id}/authentication-tokens`, token, caller)).status,
  ];
  expect(await statuses(member.token)).toEqual([200, 200, 404, 404, 404, 404]);
  expect(await statuses(stranger.token)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(await statuses(manager.token)).toEqual([200, 200, 201, 200, 200, 201]);
  expect((await ground.call('DELETE', `/agent-pools/${id}`, undefined, member.token)).status).toBe(404);
});
