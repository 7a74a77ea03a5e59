import { expect, test } from 'vitest';
import { documentOf } from '../../workspaces/support/documents.ts';
import { md5Of, put } from '../../workspaces/support/files.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled } from '../agent-of.ts';
import { terraform } from '../command-line.ts';

// The real engine in the agent: a configuration that reads the outputs of another workspace with the token of its run.
const ground = workspaceGround();

const reading = (host: string, organization: string, workspace: string) => `
  data "terraform_remote_state" "network" {
    backend = "remote"
    config = {
      hostname     = "${host}"
      organization = "${organization}"
      workspaces   = { name = "${workspace}" }
    }
  }
  output "subnet" { value = data.terraform_remote_state.network.outputs.subnet }
`;

const stateWith = (subnet: string) =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'lineage-of-network',
    outputs: { subnet: { value: subnet, type: 'string' } },
    resources: [],
  });

type Stage = Awaited<ReturnType<typeof agentOf>>;

/** A workspace with an output in its state. */
async function network({ organization }: Stage, subnet: string) {
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const path = `/workspaces/${workspace.id}`;
  expect((await ground.call('POST', `${path}/actions/lock`, { reason: 'a first state' })).status).toBe(200);
  const state = stateWith(subnet);
  const version = documentOf('state-versions', { serial: 1, lineage: 'lineage-of-network', md5: md5Of(state) });
  const made = await ground.call('POST', `${path}/state-versions`, version);
  expect(made.status, made.text).toBe(201);
  const sent = await put(made.item.attributes['hosted-state-upload-url'], state);
  expect(sent.status).toBe(200);
  expect((await ground.call('POST', `${path}/actions/unlock`)).status).toBe(200);
  const change = (attributes: object) => ground.call('PATCH', path, documentOf('workspaces', attributes));
  return { ...workspace, path, change };
}

test('a run reads the outputs of a workspace that shares its state with it, and of no other', async () => {
  if (terraform === undefined) return console.info('not run with a real engine: terraform is not on the PATH');
  const stage = await agentOf(ground, { environment: { PATH: process.env['PATH'] } });
  const other = await network(stage, 'subnet-17');
  const host = new URL(ground.service.address).host;
  const planned = async () => {
    await stage.configure({ 'main.tf': reading(host, stage.organization.name, other.name) });
    const { item } = await stage.run({ 'plan-only': true });
    const status = await stage.until(item.id, settled);
    const json = await ground.call('GET', `/runs/${item.id}/plan/json-output`, undefined, stage.admin.token);
    return { status, log: await stage.logOf(item.id, 'plan'), json: json.text };
  };
  const refused = await planned();
  expect(refused).toMatchObject({ status: 'errored', log: expect.stringContaining('Error loading state') });
  const consumers = `${other.path}/relationships/remote-state-consumers`;
  const named = { data: [{ type: 'workspaces', id: stage.workspace.id }] };
  expect((await ground.call('POST', consumers, named)).status).toBe(204);
  const seen = { status: 'planned_and_finished', json: expect.stringContaining('subnet-17') };
  expect(await planned()).toMatchObject(seen);
  expect((await ground.call('DELETE', consumers, named)).status).toBe(204);
  expect((await planned()).status).toBe('errored');
  expect((await other.change({ 'global-remote-state': true })).status).toBe(200);
  expect(await planned()).toMatchObject(seen);
});
