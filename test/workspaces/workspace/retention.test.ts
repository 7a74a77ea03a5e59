import { describe, expect, test } from 'vitest';
import { workspaceGround } from '../support/ground.ts';

const ground = workspaceGround();

const older = (days: unknown, name = 'delete-older-than-n-days') => ({
  data: { type: 'data-retention-policy-delete-olders', attributes: { [name]: days } },
});
const keep = { data: { type: 'data-retention-policy-dont-deletes' } };

async function stage() {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const at = (owner: string) => `/${owner}/relationships/data-retention-policy`;
  return {
    organization,
    id,
    ofWorkspace: at(`workspaces/${id}`),
    ofOrganization: at(`organizations/${organization.name}`),
  };
}

describe.each(['ofWorkspace', 'ofOrganization'] as const)('the policy %s', (kind) => {
  test('is set, changed, read and removed, and keeps its id', async () => {
    const { [kind]: path } = await stage();
    expect((await ground.call('GET', path)).status).toBe(404);
    const set = await ground.call('POST', path, older(30));
    expect(set.status).toBe(200);
    expect(set.item).toEqual({
      id: expect.stringMatching(/^drp-\w{16}$/),
      type: 'data-retention-policy-delete-olders',
      attributes: { 'delete-older-than-n-days': 30 },
    });
    expect((await ground.call('GET', path)).item).toEqual(set.item);
    const changed = await ground.call('PATCH', path, older(7, 'deleteOlderThanNDays'));
    expect([changed.status, changed.item]).toEqual([
      200,
      { ...set.item, attributes: { 'delete-older-than-n-days': 7 } },
    ]);
    const kept = await ground.call('POST', path, keep);
    expect(kept.item).toMatchObject({ type: 'data-retention-policy-dont-deletes', attributes: {} });
    expect((await ground.call('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await ground.call(method, path)).status).toBe(404);
  });

  test('is what old clients set, by their name for it', async () => {
    const { [kind]: path } = await stage();
    const body = { data: { type: 'data-retention-policies', attributes: { 'delete-older-than-n-days': 9 } } };
    const set = await ground.call('PATCH', path, body);
    expect([set.status, set.item.type]).toEqual([200, 'data-retention-policies']);
    expect((await ground.call('GET', path)).item).toEqual(set.item);
  });

  test.each([
    ['no body', undefined, 400],
    ['another type', { data: { type: 'policies' } }, 422],
    ['no days', { data: { type: 'data-retention-policy-delete-olders' } }, 422],
    ['no day', older(0), 422],
    ['less than a day', older(-1), 422],
    ['half a day', older(0.5), 422],
    ['a text', older('7'), 422],
    ['null', older(null), 422],
    ['for ever', older(1e12), 422],
  ])('cannot be %s', async (_what, body, status) => {
    const { [kind]: path } = await stage();
    for (const method of ['POST', 'PATCH']) expect((await ground.call(method, path, body)).status).toBe(status);
    expect((await ground.call('GET', path)).status).toBe(404);
  });
});

test('administrators of a workspace and owners of an organization decide, readers read, strangers see nothing', async () => {
  const { organization, id, ofWorkspace, ofOrganization } = await stage();
  await ground.call('POST', ofWorkspace, keep);
  await ground.call('POST', ofOrganization, keep);
  const teamWith = async (access: 'write' | 'admin') => {
    const team = await ground.team(organization.id);
    await ground.grant(team.id, { workspace: id }, access);
    return team.token;
  };
  const statuses = async (path: string, token: string) => [
    (await ground.call('GET', path, undefined, token)).status,
    (await ground.call('POST', path, older(3), token)).status,
    (await ground.call('DELETE', path, undefined, token)).status,
  ];
  expect(await statuses(ofWorkspace, await teamWith('write'))).toEqual([200, 404, 404]);
  expect(await statuses(ofWorkspace, await teamWith('admin'))).toEqual([200, 200, 204]);
  expect(await statuses(ofOrganization, await teamWith('admin'))).toEqual([200, 404, 404]);
  const owners = await ground.team(organization.id, { owners: true });
  expect(await statuses(ofOrganization, owners.token)).toEqual([200, 200, 204]);
  const stranger = await ground.user((await ground.organization()).id);
  for (const path of [ofWorkspace, ofOrganization])
    expect(await statuses(path, stranger.token)).toEqual([404, 404, 404]);
});

test('of many who set it at once all do, and one policy is left', async () => {
  const { ofWorkspace } = await stage();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => ground.call('POST', ofWorkspace, older(at + 1))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ item }) => item.id)).size).toBe(1);
});
