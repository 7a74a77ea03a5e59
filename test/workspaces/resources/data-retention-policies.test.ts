import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { applyPolicies } from '#workspaces/resources/data-retention-policies/sweep.ts';
import { filesOf, md5Of, put, stateText, stateVersion } from '../support/files.ts';
import { workspaceGround } from '../support/ground.ts';
import { archive } from './runs/runs-of.ts';

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
  test('is created, updated, read and deleted, and keeps its id', async () => {
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

  test('can be set by old clients under their name for it', async () => {
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
    ['too many days', older(1e12), 422],
  ])('cannot be %s', async (_what, body, status) => {
    const { [kind]: path } = await stage();
    for (const method of ['POST', 'PATCH']) expect((await ground.call(method, path, body)).status).toBe(status);
    expect((await ground.call('GET', path)).status).toBe(404);
  });
});

test('administrators of a workspace and owners of an organization set it, readers read it, and users of other organizations get 404', async () => {
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

test('concurrent requests to set it all succeed, and one policy remains', async () => {
  const { ofWorkspace } = await stage();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => ground.call('POST', ofWorkspace, older(at + 1))),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ item }) => item.id)).size).toBe(1);
});

describe('a version older than the policy allows', () => {
  /** A workspace with the files of three states and two configurations, all a hundred days old. */
  async function agedStage() {
    const at = await stage();
    const { call, service } = ground;
    await call('POST', `/workspaces/${at.id}/actions/lock`);
    const states: string[] = [];
    for (const serial of [1, 2, 3]) {
      const text = stateText({ serial });
      const document = stateVersion({ serial, md5: md5Of(text), state: btoa(text) });
      states.push((await call('POST', `/workspaces/${at.id}/state-versions`, document)).item.id);
    }
    const configurations: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const made = await call('POST', `/workspaces/${at.id}/configuration-versions`, {
        data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } },
      });
      expect((await put(made.item.attributes['upload-url'], archive)).status).toBe(200);
      configurations.push(made.item.id);
    }
    const { db } = service.store;
    for (const table of ['ws_state_versions', 'ws_configuration_versions'])
      await sql`update ${sql.table(table)} set created_at = now() - interval '100 days' where workspace_id = ${at.id}`.execute(
        db,
      );
    const status = async (type: string, ids: readonly string[]) =>
      Promise.all(ids.map(async (id) => (await call('GET', `/${type}/${id}`)).item.attributes['status']));
    return {
      ...at,
      states: () => status('state-versions', states),
      configurations: () => status('configuration-versions', configurations),
      files: () => filesOf(ground, at.id),
    };
  }

  test('is deleted with its files by concurrent sweeps, unless it is current', async () => {
    const { ofWorkspace, states, configurations, files } = await agedStage();
    const { store } = ground.service;
    await ground.call('POST', ofWorkspace, older(101));
    await applyPolicies(store, 100);
    expect(await files()).toHaveLength(5);
    await ground.call('POST', ofWorkspace, older(99));
    await Promise.all([applyPolicies(store, 100), applyPolicies(store, 100)]);
    expect(await states()).toEqual([...Array(2).fill('backing_data_permanently_deleted'), 'finalized']);
    expect(await configurations()).toEqual(['archived', 'uploaded']);
    expect((await files()).map(({ kind }) => kind).toSorted()).toEqual(['configuration', 'state']);
  });

  test('is deleted in steps by the policy of the organization if the workspace has none', async () => {
    const { ofOrganization, ofWorkspace, states } = await agedStage();
    const { store } = ground.service;
    await ground.call('POST', ofOrganization, older(7));
    await ground.call('POST', ofWorkspace, keep);
    await applyPolicies(store, 100);
    expect(await states()).toEqual(Array(3).fill('finalized'));
    await ground.call('DELETE', ofWorkspace);
    expect(await applyPolicies(store, 1)).toBe(true);
    expect((await states()).filter((status) => status === 'finalized')).toHaveLength(2);
    while (await applyPolicies(store, 1));
    expect(await states()).toEqual([...Array(2).fill('backing_data_permanently_deleted'), 'finalized']);
  });
});
