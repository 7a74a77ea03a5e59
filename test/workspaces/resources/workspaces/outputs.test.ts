import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { md5Of, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';

const ground = workspaceGround();
const value = 'kept-from-readers';

/** A workspace whose current state has a plain and a sensitive output. */
async function withOutputs() {
  const organization = await ground.organization();
  const { id } = await ground.workspace(organization.id, organization.projectId);
  const outputs = { host: { value: 'db-1', type: 'string' }, password: { value, type: 'string', sensitive: true } };
  const text = JSON.stringify({ ...(JSON.parse(stateText()) as object), outputs });
  await ground.call('POST', `/workspaces/${id}/actions/lock`, {});
  const attributes = { serial: 0, md5: md5Of(text), lineage: 'l', state: btoa(text) };
  expect((await ground.call('POST', `/workspaces/${id}/state-versions`, stateVersion(attributes))).status).toBe(201);
  return { organization, id };
}

test('outputs of the current state are included with a workspace; sensitive ones without their values', async () => {
  const { organization, id } = await withOutputs();
  const shown = await ground.call('GET', `/workspaces/${id}?include=outputs`);
  const included = shown.body?.included ?? [];
  expect(included.map(({ type, attributes }) => [type, attributes])).toEqual([
    ['workspace-outputs', { name: 'host', sensitive: false, 'output-type': 'string', value: 'db-1' }],
    ['workspace-outputs', { name: 'password', sensitive: true, 'output-type': 'string', value: null }],
  ]);
  const linked = included.map((one) => ({ id: one.id, type: 'workspace-outputs' }));
  expect(shown.item.relationships['outputs']?.data).toEqual(linked);
  const listed = await ground.call('GET', `/organizations/${organization.name}/workspaces?include=outputs`);
  expect(listed.body?.included).toEqual(included);
  const [, secret] = included;
  const read = await ground.call('GET', `/state-version-outputs/${secret?.id}`);
  expect(read.item.attributes['value']).toBe(value);
});

test('callers that may not read the outputs of a workspace get none', async () => {
  const { organization, id } = await withOutputs();
  const team = await ground.team(organization.id);
  await ground.grant(team.id, { workspace: id }, 'read');
  const namesFor = async (level: number) => {
    await sql`update ws_grants set state_versions = ${level} where team_id = ${team.id}`.execute(
      ground.service.store.db,
    );
    const { body } = await ground.call('GET', `/workspaces/${id}?include=outputs`, undefined, team.token);
    return (body?.included ?? []).map(({ attributes }) => attributes['name']);
  };
  expect(await namesFor(1)).toEqual(['host', 'password']);
  expect(await namesFor(0)).toEqual([]);
});
