import { expect, onTestFinished, test } from 'vitest';
import { policyText, realOpa } from '../workspaces/resources/policies/opa-program.ts';
import { policySetOf } from '../workspaces/resources/policies/policed.ts';
import { workspaceGround } from '../workspaces/support/ground.ts';
import { agentOf } from './agent-of.ts';
import { cloudUser, terraform } from './command-line.ts';

// The real engine on both sides, and the real opa between them.
const opa = realOpa();
const ground = workspaceGround(opa === undefined ? {} : { KEYFERRY_OPA: opa });

/** Evaluates what is due, over and over, as the sweep does. */
function evaluating(): void {
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await ground.service.notify();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  onTestFinished(async () => {
    stopping.abort();
    await loop;
  });
}

const text = policyText
  .current('terraform_data')
  .replace('r.change.after.value', 'r.change.after.input')
  .replace('{\n', '{\n  input.run.organization.name != ""\n');

test('terraform apply shows what policies say, and goes on after an override', async () => {
  if (terraform === undefined) return console.info('not run with a real engine: terraform is not on the PATH');
  if (opa === undefined) return console.info('not run with a real opa: it is not on the PATH or in KEYFERRY_TEST_OPA');
  const stage = await agentOf(ground, { environment: { PATH: process.env['PATH'] } });
  const { workspace, organization, variable, admin } = stage;
  const overriders = await ground.team(organization.id, { flags: ['manage-policy-overrides'], members: [admin.id] });
  await ground.grant(overriders.id, { workspace: workspace.id }, 'read');
  await variable({ key: 'region', value: 'eu-1', category: 'terraform' });
  const { set } = await policySetOf(ground, stage, { overridable: true, text });
  const { say, sayWith } = await cloudUser(ground, stage, admin.token);
  evaluating();
  expect(await say('init', '-no-color')).toMatchObject({ code: 0 });
  const answers = [
    { prompt: "Only 'override' will be accepted", answer: 'override' },
    { prompt: "Only 'yes' will be accepted", answer: 'yes' },
  ];
  const overridden = await sayWith(answers, 'apply', '-no-color');
  expect(overridden.text).toContain('OPA Policy Evaluation');
  expect(overridden.text).toContain('Overall Result: FAILED');
  expect(overridden.text).toContain('Policy name: no-bad');
  expect(overridden.text).toContain('Apply complete! Resources: 1 added, 0 changed, 0 destroyed.');
  expect(overridden.code).toBe(0);
  const strict = { data: { type: 'policy-sets', attributes: { overridable: false } } };
  await ground.call('PATCH', `/policy-sets/${set.item.id}`, strict);
  const refused = await say('plan', '-no-color');
  expect(refused.text).toContain('Overall Result: FAILED');
  expect(refused.code).not.toBe(0);
});
