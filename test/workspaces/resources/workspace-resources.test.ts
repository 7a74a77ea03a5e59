import { expect, test } from 'vitest';
import { lockedWorkspace, md5Of, stateVersion } from '../support/files.ts';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const resource = (at: number, more: object = {}) => ({
  mode: 'managed',
  type: 'null_resource',
  name: `n${at}`,
  provider: 'provider["registry.example/acme/null"]',
  instances: [{ attributes: {} }],
  ...more,
});

async function withState(resources: readonly object[]) {
  const locked = await lockedWorkspace(ground);
  const text = JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'l',
    outputs: {},
    resources,
  });
  const state = Buffer.from(text).toString('base64');
  const body = stateVersion({ serial: 1, lineage: 'l', md5: md5Of(text), state });
  const made = await ground.call('POST', locked.path, body, locked.user.token);
  expect(made.status).toBe(201);
  const list = (query = '', token = locked.user.token) =>
    ground.call('GET', `/workspaces/${locked.id}/resources${query}`, undefined, token);
  return { ...locked, version: made.item, list };
}

test('the resources of the current state are listed with their addresses', async () => {
  const inModule = { module: 'module.net', mode: 'data', type: 'http', name: 'two' };
  const { list, version } = await withState([resource(1), resource(2, inModule)]);
  const answer = await list();
  const day = String(version.attributes['created-at']).slice(0, 10);
  const known = {
    'created-at': day,
    'updated-at': day,
    'modified-by-state-version-id': version.id,
    'name-index': null,
  };
  expect([answer.status, answer.items.map(({ type, attributes }) => ({ type, ...attributes }))]).toEqual([
    200,
    [
      {
        type: 'resources',
        address: 'null_resource.n1',
        name: 'n1',
        module: 'root',
        ...known,
        provider: 'acme/null',
        'provider-type': 'null_resource',
      },
      {
        type: 'resources',
        address: 'module.net.data.http.two',
        name: 'two',
        module: 'module.net',
        ...known,
        provider: 'acme/null',
        'provider-type': 'http',
      },
    ],
  ]);
  expect((await list()).items).toEqual(answer.items);
});

test('the list has pages, a page beyond the end is empty, and callers that may not read the state get 404', async () => {
  const { list, organization } = await withState(Array.from({ length: 25 }, (_, at) => resource(at)));
  const names = async (query: string) => (await list(query)).items.map(({ attributes }) => attributes['name']);
  expect(await names('')).toHaveLength(20);
  expect(await names('?page%5Bnumber%5D=2')).toEqual(['n20', 'n21', 'n22', 'n23', 'n24']);
  const beyond = await list('?page%5Bnumber%5D=9');
  expect([beyond.items, Object(beyond.body?.meta)['pagination']['total-count']]).toEqual([[], 25]);
  const member = await ground.user(organization.id);
  expect((await list('', member.token)).status).toBe(404);
});

test('a workspace without a state has none', async () => {
  const { id } = await lockedWorkspace(ground);
  const answer = await ground.call('GET', `/workspaces/${id}/resources`);
  expect([answer.status, answer.items]).toEqual([200, []]);
});
