import { expect, test } from 'vitest';
import { patience } from '../support/measures/patience.ts';
import { workspaceGround } from '../workspaces/support/ground.ts';
import { agentOf, settled } from './agent-of.ts';

// An agent with the stand-in engine against a real server.
const ground = workspaceGround();

test('a run is planned and applied: the log, the counts and the state arrive, and nothing is left on the machine', async () => {
  const { configure, run, until, logOf, act, workspace, folders, variable } = await agentOf(ground);
  await variable({ key: 'region', value: 'eu "x" ${y}', category: 'terraform' });
  await variable({ key: 'zones', value: '["a", "b"]', category: 'terraform', hcl: true });
  await variable({ key: 'ZONE', value: 'from env', category: 'env' });
  await configure({
    'plan.sh': `
      for file in "$@"; do case $file in -var-file=*) cat "\${file#-var-file=}" ;; esac; done
      echo "zone $ZONE, $TFC_WORKSPACE_NAME, in $(basename "$PWD"), $(cat zzz_keyferry_override.tf | tr -d '\\n')"`,
  });
  const { id } = (await run({ 'target-addrs': ['a.b'], 'replace-addrs': ['c.d'], refresh: false })).item;
  expect(await until(id, settled)).toBe('planned');
  const log = await logOf(id, 'plan');
  expect(log).toMatch(/^\u0002Agent tested, engine 1\.11\.4: plan of run-\w+\nstand-in init -input=false -no-color\n/);
  expect(log).toContain('-refresh=false -target=a.b -replace=c.d');
  expect(log).toContain('{"region":"eu \\"x\\" ${y}"}zones = ["a", "b"]\n');
  expect(log).toContain(`zone from env, ${workspace.name}, in configuration, terraform {  backend "local" {}}`);
  expect(log).toMatch(/\u0003$/);
  const plan = await ground.call('GET', `/runs/${id}/plan`);
  expect(plan.item.attributes).toMatchObject({
    status: 'finished',
    'has-changes': true,
    'resource-additions': 1,
    'resource-changes': 1,
    'resource-destructions': 1,
  });
  await act(id, 'apply');
  expect(await until(id, settled.slice(1)), await logOf(id, 'apply')).toBe('applied');
  const apply = await ground.call('GET', `/runs/${id}/apply`);
  expect(apply.item.attributes).toMatchObject({ 'resource-additions': 2, 'resource-destructions': 3 });
  const state = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
  expect(state.item).toMatchObject({ attributes: { serial: 1 }, relationships: { run: { data: { id } } } });
  const next = (await run({ 'auto-apply': true })).item.id;
  expect(await until(next, settled)).toBe('applied');
  const second = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
  expect(second.item.attributes['serial']).toBe(2);
  await expect.poll(folders, { timeout: patience.conditionMs }).toEqual([]);
});

test('sensitive values and the token of the run do not reach the log, also when a value is cut in two', async () => {
  const { configure, run, until, logOf, variable } = await agentOf(ground);
  await variable({ key: 'PASSWORD', value: 'marker-secret-1', category: 'env', sensitive: true });
  await variable({ key: 'KEY', value: 'line-one-x\nline-two-y', category: 'env', sensitive: true });
  await configure({
    'plan.sh': `
      env; printf 'cut marker-sec'; sleep 1; echo 'ret-1 end'; echo "$KEY" | tail -1`,
  });
  const { id } = (await run({ 'plan-only': true })).item;
  await until(id, settled);
  const log = await logOf(id, 'plan');
  expect(log).toContain('PASSWORD=***');
  expect(log).toContain('cut *** end');
  expect(log).toMatch(/TF_TOKEN_\w+=\*\*\*/);
  for (const secret of ['marker-secret-1', 'line-two-y', '.keyferryv1.', 'marker-agent'])
    expect(log).not.toContain(secret);
});

test.each([
  ['a plan that fails', { 'plan.sh': 'echo "no such thing" >&2; exit 1' }, 'errored', 'no such thing'],
  ['an initialisation that fails', { 'init.sh': 'echo "no module"; exit 1' }, 'errored', 'no module'],
  [
    'a plan without changes',
    { 'plan.sh': 'echo same > keyferry.tfplan; exit 0' },
    'planned_and_finished',
    'stand-in plan',
  ],
])('%s ends the run with its log', async (_what, files, expected, text) => {
  const { configure, run, until, logOf } = await agentOf(ground);
  await configure(files as unknown as Readonly<Record<string, string>>);
  const { id } = (await run()).item;
  expect(await until(id, settled)).toBe(expected);
  expect(await logOf(id, 'plan')).toContain(text);
});

test('the state of an apply that fails is stored', async () => {
  const { configure, run, until, workspace } = await agentOf(ground);
  await configure({
    'apply.sh': `
      printf '{"version": 4, "serial": 5, "lineage": "l-9", "outputs": {}, "resources": []}' > terraform.tfstate; exit 1`,
  });
  const { id } = (await run({ 'auto-apply': true })).item;
  expect(await until(id, settled)).toBe('errored');
  const state = await ground.call('GET', `/workspaces/${workspace.id}/current-state-version`);
  expect(state.item.attributes).toMatchObject({ serial: 5, lineage: 'l-9' });
});

test('an engine that no agent has, and a folder that the configuration does not have, end the run with the reason', async () => {
  const { configure, run, until, logOf, workspace } = await agentOf(ground);
  await configure({});
  const old = (await run({ 'plan-only': true, 'engine-version': '~> 1.5.0' })).item.id;
  expect(await until(old, settled)).toBe('errored');
  expect(await logOf(old, 'plan')).toContain('The workspace needs the engine ~> 1.5.0. This agent has 1.11.4.');
  const change = { data: { type: 'workspaces', attributes: { 'working-directory': 'network' } } };
  expect((await ground.call('PATCH', `/workspaces/${workspace.id}`, change)).status).toBe(200);
  const { id } = (await run()).item;
  expect(await until(id, settled)).toBe('errored');
  expect(await logOf(id, 'plan')).toContain('The configuration has no folder network.');
});
