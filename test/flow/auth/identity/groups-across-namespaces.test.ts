import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';
import { askingIn, type Space, spaceOf } from '../../namespaces/spaces.ts';

const service = serviceOf([]);
const other = otherProcessOf(service);
const modeAt = 'sys/config/group-policy-application';
const setMode = (mode: string) => service.ask('POST', modeAt, { group_policy_application_mode: mode });

/** A namespace, one below it and a sibling. */
let above: Space;
let below: Space;
let beside: Space;

beforeAll(async () => {
  above = await spaceOf(service);
  below = await spaceOf(service, above);
  beside = await spaceOf(service);
  for (const { ask: asked } of [service, above, below, beside]) {
    await asked('PUT', 'sys/policies/acl/reader', {
      policy: 'path "secret/data/shared" { capabilities = ["read"] }\npath "+/secret/data/shared" { policy = "read" }',
    });
    await asked('PUT', 'sys/policies/acl/own', { policy: 'path "secret/data/own" { capabilities = ["read"] }' });
    await asked('POST', 'auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
  }
});
afterEach(async () => void (await setMode('within_namespace_hierarchy')));

/** A token of a new entity of a namespace. */
async function memberOf({ ask: asked }: Pick<Space, 'ask'>) {
  const alias = service.name('member');
  const { body } = await asked('POST', 'auth/token/create/alias', { entity_alias: alias, policies: ['own'] });
  const auth = body['auth'] as { readonly client_token: string; readonly entity_id: string };
  return { token: auth.client_token, entity: auth.entity_id };
}

async function groupOf({ ask: asked }: Pick<Space, 'ask'>, body: object): Promise<string> {
  const { data, errors } = await asked('POST', 'identity/group', body);
  expect(errors).toEqual([]);
  return String(data['id']);
}

/** The replies of two processes to a GET. */
const statuses = (token: string, path: string) =>
  Promise.all(
    [service.address, other.address].map(
      async (address) => (await ask({ address, token, method: 'GET', path })).status,
    ),
  );

describe('policies of a group', () => {
  test('apply to entities of the namespaces below, on paths of the namespace of the group', async () => {
    const { token, entity } = await memberOf(below);
    expect(await statuses(token, `${above.path}secret/data/shared`)).toEqual([403, 403]);
    await groupOf(above, { member_entity_ids: [entity], policies: ['reader'] });
    expect(await statuses(token, `${above.path}secret/data/shared`)).toEqual([404, 404]);
    expect(await statuses(token, `${below.path}secret/data/shared`)).toEqual([404, 404]);
    expect(await statuses(token, `${above.path}secret/data/own`)).toEqual([403, 403]);
    expect(await statuses(token, 'secret/data/shared')).toEqual([403, 403]);
    expect(await statuses(token, `${beside.path}secret/data/shared`)).toEqual([403, 403]);
  });

  test('also apply through a group of the namespace below', async () => {
    const { token, entity } = await memberOf(below);
    const inner = await groupOf(below, { member_entity_ids: [entity] });
    const outer = await groupOf(above, { member_group_ids: [inner], policies: ['reader'] });
    expect(await statuses(token, `${above.path}secret/data/shared`)).toEqual([404, 404]);
    await above.ask('POST', `identity/group/id/${outer}`, { member_group_ids: [] });
    expect(await statuses(token, `${above.path}secret/data/shared`)).toEqual([403, 403]);
  });

  test('apply to entities above and in siblings only in the mode "any"', async () => {
    const [upper, neighbour] = [await memberOf(above), await memberOf(beside)];
    await groupOf(below, { member_entity_ids: [upper.entity, neighbour.entity], policies: ['reader'] });
    const path = `${below.path}secret/data/shared`;
    for (let round = 0; round < 3; round += 1) {
      expect(await statuses(upper.token, path)).toEqual([403, 403]);
      expect(await statuses(neighbour.token, path)).toEqual([403, 403]);
      expect((await setMode('any')).status).toBe(204);
      expect(await statuses(upper.token, path)).toEqual([404, 404]);
      expect(await statuses(neighbour.token, path)).toEqual([404, 404]);
      expect(await statuses(neighbour.token, `${above.path}secret/data/shared`)).toEqual([403, 403]);
      expect(await statuses(neighbour.token, `${below.path}secret/data/own`)).toEqual([403, 403]);
      expect(await statuses(neighbour.token, `${below.path}auth/token/lookup-self`)).toEqual([403, 403]);
      await setMode('within_namespace_hierarchy');
    }
  });

  test('grant nothing through policies of the same name in another namespace', async () => {
    const { token, entity } = await memberOf(below);
    await groupOf(above, { member_entity_ids: [entity], policies: ['own'] });
    await below.ask('PUT', 'sys/policies/acl/secret-of-below', { policy: 'path "secret/*" { policy = "read" }' });
    await groupOf(above, { member_entity_ids: [entity], policies: ['secret-of-below'] });
    expect(await statuses(token, `${below.path}secret/data/x`)).toEqual([403, 403]);
    expect(await statuses(token, `${above.path}secret/data/x`)).toEqual([403, 403]);
    expect(await statuses(token, `${above.path}secret/data/own`)).toEqual([404, 404]);
  });

  test('end with the namespace of the group, also when a mount takes its path', async () => {
    await setMode('any');
    const space = await spaceOf(service);
    await space.ask('PUT', 'sys/policies/acl/reader', { policy: 'path "*" { policy = "read" }' });
    const members = [await memberOf(beside), await memberOf({ ask: askingIn(service, '') })];
    await groupOf(space, { member_entity_ids: members.map(({ entity }) => entity), policies: ['reader'] });
    const all = () => Promise.all(members.map(({ token }) => statuses(token, `${space.path}secret/data/x`)));
    const [found, refused] = [404, 403].map((status) => members.map(() => [status, status]));
    expect(await all()).toEqual(found);
    await service.ask('DELETE', `sys/namespaces/${space.path.slice(0, -1)}`);
    expect(await all()).toEqual(refused);
    await service.ask('POST', `sys/mounts/${space.path}secret`, { type: 'kv-v2' });
    expect(await all()).toEqual(refused);
  });

  test('are shown by the id of their namespace, and in capabilities', async () => {
    const { token, entity } = await memberOf(below);
    await groupOf(above, { member_entity_ids: [entity], policies: ['reader'] });
    await groupOf(below, { member_entity_ids: [entity], policies: ['own'] });
    const { data } = await service.ask('GET', `sys/namespaces/${above.path.slice(0, -1)}`);
    const shown = { identity_policies: ['own'], external_namespace_policies: { [String(data['id'])]: ['reader'] } };
    expect((await below.ask('GET', 'auth/token/lookup-self', undefined, token)).data).toMatchObject(shown);
    const capabilities = async (space: Space, path: string) =>
      (await space.ask('POST', 'sys/capabilities', { token, paths: [path] })).data[path];
    expect(await capabilities(above, 'secret/data/shared')).toEqual(['read']);
    expect(await capabilities(above, `${below.path.slice(above.path.length)}secret/data/shared`)).toEqual([
      'list',
      'read',
    ]);
    expect(await capabilities(beside, 'secret/data/shared')).toEqual(['deny']);
  });
});

test('templates know groups by names of the namespace of their policy, whatever the mode is', async () => {
  await setMode('any');
  const { token, entity } = await memberOf(below);
  await below.ask('PUT', 'sys/policies/acl/by-group', {
    policy: 'path "secret/data/{{identity.groups.names.keepers.metadata.at}}" { policy = "read" }',
  });
  await groupOf(below, { member_entity_ids: [entity], policies: ['by-group'] });
  await groupOf(beside, { name: 'keepers', member_entity_ids: [entity], metadata: { at: 'x' } });
  expect(await statuses(token, `${below.path}secret/data/x`)).toEqual([403, 403]);
  await groupOf(below, { name: 'keepers', member_entity_ids: [entity], metadata: { at: 'x' } });
  expect(await statuses(token, `${below.path}secret/data/x`)).toEqual([404, 404]);
});

test('a cycle of groups of several namespaces is refused', async () => {
  const inner = await groupOf(below, {});
  const outer = await groupOf(above, { member_group_ids: [inner] });
  const { status, errors } = await below.ask('POST', `identity/group/id/${inner}`, { member_group_ids: [outer] });
  expect([status, errors.join()]).toEqual([400, expect.stringMatching(/^cyclic relationship detected/)]);
});

describe('the mode', () => {
  test('is that of the hierarchy unless it is set', async () => {
    expect((await service.ask('GET', modeAt)).data).toEqual({
      group_policy_application_mode: 'within_namespace_hierarchy',
    });
    await setMode('any');
    expect((await service.ask('GET', modeAt)).data).toEqual({ group_policy_application_mode: 'any' });
  });

  test.each(['', 'all', 'Any'])('cannot be %j', async (mode) => {
    const { status, errors } = await setMode(mode);
    expect([status, errors.join()]).toEqual([400, expect.stringMatching(/^invalid group_policy_application_mode/)]);
  });

  test('can be set in the root only', async () => {
    expect((await above.ask('GET', modeAt)).status).toBe(400);
    expect((await above.ask('POST', modeAt, { group_policy_application_mode: 'any' })).status).toBe(400);
  });
});

test('capabilities on a path of a namespace below know destinations by either name of their type', async () => {
  const alias = `${above.path}sys/sync/destinations/aws-sm/x`;
  const canonical = `${above.path}sys/sync/destinations/cloud-a-sm/x`;
  await service.ask('PUT', 'sys/policies/acl/by-type', { policy: `path "${canonical}" { policy = "read" }` });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['by-type'] });
  const { client_token: token } = body['auth'] as { client_token: string };
  for (const path of [alias, canonical, `/${alias}`]) {
    const { data } = await service.ask('POST', 'sys/capabilities', { token, paths: [path] });
    expect([path, data[path]]).toEqual([path, ['list', 'read']]);
  }
});
