import { expect, test } from 'vitest';
import { runLine } from '../support/cli/line.ts';
import { md5Of, stateText, stateVersion } from '../workspaces/support/files.ts';
import { workspaceGround } from '../workspaces/support/ground.ts';

const ground = workspaceGround();
const lineAs =
  (token: string) =>
  (...argv: string[]) =>
    runLine(['workspaces', ...argv], { address: ground.service.address, token });
const rowsOf = (output: string) => output.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row)]));

/** A workspace and the command line of an owner of its organization. */
async function ownWorkspace() {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const user = await ground.user(organization.id);
  await ground.team(organization.id, { owners: true, members: [user.id] });
  const line = lineAs(user.token);
  return { organization, workspace, token: user.token, line, path: `${organization.name}/${workspace.name}` };
}

test('workspaces of one organization, and of all that the caller sees, are listed over several pages', async () => {
  const { organization, line } = await ownWorkspace();
  for (let count = 0; count < 100; count += 1) await ground.workspace(organization.id, organization.projectId);
  const listed = await line('list', organization.name, '-o', 'ndjson');
  expect(rowsOf(listed.output)).toHaveLength(101);
  const all = await line('list', '-o', 'ndjson');
  expect(all.output).toBe(listed.output);
});

test('a workspace is shown, locked with a reason, and unlocked by its holder, or by force', async () => {
  const { workspace, path, line, organization } = await ownWorkspace();
  const shown = JSON.parse((await line('show', path, '-o', 'json')).output);
  expect(shown).toMatchObject({ id: workspace.id, name: workspace.name, locked: false });
  expect(JSON.parse((await line('lock', path, '--reason', 'moving', '-o', 'json')).output)).toMatchObject({
    locked: true,
  });
  expect(await line('lock', path)).toMatchObject({ code: 1, errors: expect.stringContaining('409') });
  expect(JSON.parse((await line('unlock', path, '-o', 'json')).output)).toMatchObject({ locked: false });
  await line('lock', path);
  const other = await ground.user(organization.id);
  await ground.team(organization.id, { owners: true, members: [other.id] });
  const asOther = lineAs(other.token);
  expect((await asOther('unlock', path)).code).toBe(1);
  expect((await asOther('unlock', path, '--force')).code).toBe(2);
  expect((await asOther('unlock', path, '--force', '--yes')).code).toBe(0);
});

test('the state of a workspace is written as it was stored, and its absence is told', async () => {
  const { workspace, path, line, token } = await ownWorkspace();
  const none = await line('state', 'pull', path);
  expect(none).toMatchObject({ code: 1, output: '', errors: expect.stringContaining('has no state') });
  const text = stateText();
  await line('lock', path);
  const attributes = { serial: 1, md5: md5Of(text), lineage: 'l-1', state: Buffer.from(text).toString('base64') };
  const made = await ground.call('POST', `/workspaces/${workspace.id}/state-versions`, stateVersion(attributes), token);
  expect(made.status).toBe(201);
  expect(await line('state', 'pull', path)).toMatchObject({ code: 0, output: text });
});

test.each([
  [['show', 'acme'], 2, '<organization>/<workspace>'],
  [['show', 'acme/nothing'], 1, '404'],
  [['list', 'nothing'], 1, '404'],
])('%j fails with the reason', async (argv, code, reason) => {
  expect(await lineAs(ground.service.rootToken)(...argv)).toMatchObject({
    code,
    errors: expect.stringContaining(reason),
  });
});
