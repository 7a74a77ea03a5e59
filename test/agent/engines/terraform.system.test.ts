import { expect, test } from 'vitest';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled } from '../agent-of.ts';
import { cloudUser, terraform } from '../command-line.ts';

// The real engine on both sides: the command line of a user with a `cloud` block, and the agent that executes its runs.
const ground = workspaceGround();

test('terraform apply with a cloud block streams the run of an agent, and the state is stored', async () => {
  if (terraform === undefined) return console.info('not run with a real engine: terraform is not on the PATH');
  const stage = await agentOf(ground, { environment: { PATH: process.env['PATH'] } });
  const { workspace, variable, writer, admin } = stage;
  await variable({ key: 'region', value: 'eu-1', category: 'terraform' });
  const { say } = await cloudUser(ground, stage, admin.token);
  expect(await say('init', '-no-color')).toMatchObject({ code: 0 });
  const applied = await say('apply', '-no-color', '-auto-approve');
  const [first] = (await ground.call('GET', `/workspaces/${workspace.id}/runs`, undefined, writer.token)).items;
  const redacted = await ground.call('GET', `/runs/${first?.id}/plan/json-output-redacted`, undefined, writer.token);
  expect([redacted.status, redacted.text.slice(0, 200)]).toEqual([200, expect.stringContaining('plan_format_version')]);
  expect(applied.text).toContain('terraform_data.one: Creation complete');
  expect(applied.text).toContain('Apply complete! Resources: 1 added, 0 changed, 0 destroyed.');
  expect(applied.code).toBe(0);
  const planned = await say('plan', '-no-color');
  expect(planned.text).toContain('No changes.');
  expect(planned.code).toBe(0);
  const output = await say('output', '-raw', 'region');
  expect(output.text).toContain('eu-1');
  const destroyed = await say('destroy', '-no-color', '-auto-approve');
  expect(destroyed.text).toContain('Resources: 0 added, 0 changed, 1 destroyed.');
  const runs = await ground.call('GET', `/workspaces/${workspace.id}/runs`, undefined, writer.token);
  expect(runs.items.map(({ attributes }) => attributes['status'])).toEqual([
    'applied',
    'planned_and_finished',
    'applied',
  ]);
  const id = runs.items[2]?.id ?? '';
  expect(await stage.until(id, settled)).toBe('applied');
  const json = await ground.call('GET', `/runs/${id}/plan/json-output`, undefined, admin.token);
  expect(JSON.parse(json.text)).toMatchObject({ resource_changes: [{ address: 'terraform_data.one' }] });
});
