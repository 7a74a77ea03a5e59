import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newSshKey, noSsh, sshServer } from '#test/support/servers/ssh-server.ts';
import { configurationFiles } from '../../support/configuration-files.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { noGit, pushOf, vcsStage } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'known-hosts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const knownHosts = join(folder, 'known_hosts');
const ground = workspaceGround({ KEYFERRY_GIT_KNOWN_HOSTS_FILE: knownHosts });
const withSsh = test.skipIf(noGit !== undefined || noSsh !== undefined);

const attributesOf = async (workspace: string, list: 'configuration-versions' | 'runs') =>
  (await ground.call('GET', `/workspaces/${workspace}/${list}`)).items;

withSsh(
  'a webhook leads to a run whose configuration has a submodule that only the SSH key of the token opens',
  async () => {
    const [stage, ssh] = [await vcsStage(ground), await sshServer()];
    writeFileSync(knownHosts, `[127.0.0.1]:${ssh.port} ${ssh.hostKey}\n`);
    const token = (key: string | null) =>
      ground.call('PATCH', `/oauth-tokens/${stage.tokenId}`, documentOf('oauth-tokens', { 'ssh-key': key }));
    const shared = stage.git.repository('acme/shared').commit({ 'shared.tf': 'shared' });
    const url = `ssh://${userInfo().username}@127.0.0.1:${ssh.port}${stage.git.folder}/acme/shared.git`;
    const first = stage.repository.commit({
      'main.tf': 'one',
      '.gitmodules': `[submodule "shared"]\n path = modules/shared\n url = ${url}\n`,
    });
    stage.repository.git('update-index', '--add', '--cacheinfo', `160000,${shared},modules/shared`);
    stage.repository.git('commit', '--quiet', '--message', 'With a submodule');
    stage.repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main');
    const second = stage.repository.git('rev-parse', 'HEAD').trim();
    expect((await token(newSshKey().key)).status).toBe(200);
    const workspace = await stage.workspace({}, { 'ingress-submodules': true });
    expect(await stage.deliver('push', pushOf(first, second))).toBe(202);
    await ground.service.ingest();
    const [refused] = await attributesOf(workspace, 'configuration-versions');
    expect(refused?.attributes).toMatchObject({
      status: 'errored',
      'error-message': expect.stringMatching(/refused the credential/),
    });
    expect(await attributesOf(workspace, 'runs')).toEqual([]);
    const shown = await token(ssh.key);
    expect(shown.item.attributes['has-ssh-key']).toBe(true);
    const asked = await ground.call('POST', `/workspaces/${workspace}/actions/ingress`, documentOf('x', {}));
    expect(asked.status).toBe(201);
    await ground.service.ingest();
    const uploaded = (await attributesOf(workspace, 'configuration-versions')).find(({ id }) => id === asked.item.id);
    expect(uploaded?.attributes).toMatchObject({ status: 'uploaded', 'error-message': null });
    expect(await configurationFiles(ground, asked.item.id)).toMatchObject({
      'main.tf': 'one',
      'modules/shared/shared.tf': 'shared',
    });
    expect(await attributesOf(workspace, 'runs')).toMatchObject([{ attributes: { status: 'plan_queued' } }]);
    const traces = JSON.stringify([ground.service.logged, shown, refused, uploaded]);
    for (const line of ssh.key.split('\n').slice(1, -2)) expect(traces).not.toContain(line);
  },
);
