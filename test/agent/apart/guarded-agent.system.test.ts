import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import { bundleProgram } from '#infra/package/command-line/bundle.ts';
import { gitServer, gitVersion } from '../../support/servers/git-server.ts';
import { noSsh, sshServer } from '../../support/servers/ssh-server.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled, standIn } from '../agent-of.ts';
import { guardsNetworks } from './isolates.ts';
import { markerServer } from './network-attempts.ts';

// The network of runs as an agent makes it, with its settings.
const ground = workspaceGround();

const isGuarded = await guardsNetworks();
if (!isGuarded) console.info('this machine cannot give runs a network of their own');

const curl = 'curl -s -m 60 -w "%{http_code}\\n"';

test.skipIf(!isGuarded)(
  'a run reaches the server and no other program of the machine, and its log says why',
  async () => {
    const other = await markerServer();
    const { configure, run, until, logOf } = await agentOf(ground);
    const script = `
    echo "server: $(${curl} -o /dev/null ${ground.service.address}/v1/sys/health)"
    echo "other: $(${curl} ${other.address}/marker)"
    echo "by the proxy: $(${curl} -o /dev/null --noproxy '' ${other.address}/marker)"
    exit 0`;
    await configure({ 'plan.sh': `${script.replace('exit 0', 'echo planned > keyferry.tfplan; exit 0')}` });
    const { id } = (await run({ 'plan-only': true })).item;
    expect(await until(id, settled)).toBe('planned_and_finished');
    const log = await logOf(id, 'plan');
    expect(log).toContain('server: 200\n');
    expect(log).toContain('other: 000\n');
    expect(log).toContain('by the proxy: 403\n');
    expect(log).toContain(
      `strict networking blocked the connection to 127.0.0.1 port ${other.port}: 127.0.0.1 is in 127.0.0.0/8`,
    );
    expect(other.seen).toEqual([]);
  },
);

test.skipIf(!isGuarded)('with an open network a run reaches what the machine reaches', async () => {
  const other = await markerServer();
  const { configure, run, until, logOf } = await agentOf(ground, { network: 'open' });
  await configure({ 'plan.sh': `${curl} ${other.address}/marker; echo planned > keyferry.tfplan; exit 0` });
  const { id } = (await run({ 'plan-only': true })).item;
  expect(await until(id, settled)).toBe('planned_and_finished');
  expect(await logOf(id, 'plan')).toContain('marker200\n');
});

test.skipIf(!isGuarded || noSsh !== undefined || gitVersion() === undefined)(
  'modules come over SSH with the key of the workspace',
  async () => {
    const [git, ssh] = [await gitServer(), await sshServer()];
    const commit = git.repository('acme/module').commit({ 'main.tf': 'one' });
    const stage = await agentOf(ground, { networkAllowed: readAllowed('127.0.0.0/8') });
    const path = `/organizations/${stage.organization.name}/ssh-keys`;
    const attributes = { name: 'modules', value: ssh.key };
    const key = await ground.call('POST', path, { data: { type: 'ssh-keys', attributes } });
    expect(key.status, key.text).toBe(201);
    const assigned = await ground.call('PATCH', `/workspaces/${stage.workspace.id}/relationships/ssh-key`, {
      data: { type: 'workspaces', attributes: { id: key.item.id } },
    });
    expect(assigned.status, assigned.text).toBe(200);
    const address = `ssh://${userInfo().username}@127.0.0.1:${ssh.port}${git.folder}/acme/module.git`;
    await stage.configure({ 'plan.sh': `git ls-remote ${address} 2>&1; echo planned > keyferry.tfplan; exit 0` });
    const { id } = (await stage.run({ 'plan-only': true })).item;
    expect(await stage.until(id, settled)).toBe('planned_and_finished');
    expect(await stage.logOf(id, 'plan')).toContain(commit);
  },
);

test.skipIf(!isGuarded)('the packed program makes the network of runs too', async () => {
  const stage = await agentOf(ground);
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'keyferry.cjs');
  await bundleProgram(file);
  const env = {
    PATH: `${standIn}:/usr/bin:/bin`,
    HOME: folder,
    KEYFERRY_AGENT_ADDRESS: ground.service.address,
    KEYFERRY_AGENT_TOKEN: stage.token,
    KEYFERRY_AGENT_ISOLATION: 'required',
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, 'agent', '--check'], { env });
  expect(`${stdout}${stderr}`).toContain('"isGuarded":true');
});
