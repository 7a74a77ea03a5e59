import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { ending } from '#test/support/services.ts';
import { configurationFiles } from '../../support/configuration-files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { noGit, pullOf, pushOf, vcsStage } from './stage.ts';

const ground = workspaceGround();
const withGit = test.skipIf(noGit !== undefined);

const configurations = async (workspace: string) =>
  (await ground.call('GET', `/workspaces/${workspace}/configuration-versions`)).items;
const runs = async (workspace: string) => (await ground.call('GET', `/workspaces/${workspace}/runs`)).items;

withGit('a signed push becomes a configuration version and a run, once', async () => {
  const stage = await vcsStage(ground);
  const workspace = await stage.workspace({ 'working-directory': 'infra' });
  const first = stage.repository.commit({ 'infra/main.tf': 'one', 'README.md': 'x' });
  expect(await stage.deliver('push', pushOf(undefined, first))).toBe(202);
  expect(await configurations(workspace)).toMatchObject([
    { attributes: { status: 'pending', source: 'github', 'upload-url': null } },
  ]);
  expect(await ground.service.ingest()).toBe(1);
  const [made] = await configurations(workspace);
  expect(made?.attributes).toMatchObject({ status: 'uploaded', 'error-message': null });
  expect(await configurationFiles(ground, made?.id ?? '')).toEqual({ 'infra/main.tf': 'one', 'README.md': 'x' });
  const facts = await ground.call('GET', `/configuration-versions/${made?.id}/ingress-attributes`);
  expect(facts.item).toMatchObject({
    id: expect.stringMatching(/^ia-\w{16}$/),
    type: 'ingress-attributes',
    attributes: {
      branch: 'main',
      'commit-sha': first,
      'commit-message': 'From the event',
      'commit-author': 'Ada',
      'compare-url': 'https://host.example/compare',
      'on-default-branch': true,
      'is-pull-request': false,
      tag: null,
      'pull-request-number': null,
    },
  });
  expect(await runs(workspace)).toMatchObject([{ attributes: { message: 'From the event', 'plan-only': false } }]);
  for (const copy of [pushOf(undefined, first), { ...pushOf(undefined, first), second_webhook: true }])
    expect(await stage.deliver('push', copy)).toBe(202);
  expect(await configurations(workspace)).toHaveLength(1);
  const elsewhere = stage.repository.commit({ 'README.md': 'y' });
  await stage.deliver('push', pushOf(first, elsewhere));
  await ground.service.ingest();
  expect(await runs(workspace)).toHaveLength(1);
  const changed = stage.repository.commit({ 'infra/main.tf': 'two' });
  await stage.deliver('push', pushOf(elsewhere, changed));
  await ground.service.ingest();
  expect(await runs(workspace)).toHaveLength(2);
  expect((await configurations(workspace))[0]?.attributes['changed-files']).toEqual(['infra/main.tf']);
  expect(JSON.stringify([ground.service.logged, await configurations(workspace)])).not.toContain('not-for-eyes');
});

withGit('a request without the secret learns nothing, and a signed unknown repository is 422', async () => {
  const stage = await vcsStage(ground);
  await stage.workspace();
  const push = pushOf(undefined, 'a'.repeat(40));
  const statuses = [
    await stage.deliver('push', push, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
    await stage.deliver('push', push, { 'x-hub-signature-256': '' }),
    (await fetch(stage.webhook.url.replace(/oc-\w+$/, 'oc-none'), { method: 'POST', body: '{}' })).status,
  ];
  expect(statuses).toEqual([403, 403, 403]);
  expect(await stage.deliver('push', { ...push, repository: { full_name: 'acme/none' } })).toBe(422);
  expect(await stage.deliver('ping', { zen: 'x' })).toBe(202);
  expect(await stage.deliver('push', { ...push, ref: 'refs/heads/other' })).toBe(202);
  const renewed = await ground.call(
    'POST',
    `/oauth-clients/${stage.webhook.url.split('/').at(-1)}/actions/create-webhook`,
  );
  expect([renewed.status, await stage.deliver('push', push)]).toEqual([201, 403]);
});

withGit(
  'pull requests are planned only, those of forks not unless the workspace says so, and the host learns the state',
  async () => {
    const stage = await vcsStage(ground);
    const base = stage.repository.commit({ 'main.tf': 'one' });
    const head = stage.repository.commit({ 'main.tf': 'two' }, { branch: 'topic' });
    stage.repository.point('refs/pull/8/head', head);
    const [careful, open, off] = [
      await stage.workspace(),
      await stage.workspace({}, { 'ingress-forks': true }),
      await stage.workspace({ 'speculative-enabled': false }),
    ];
    expect(await stage.deliver('pull_request', pullOf(head, base, { number: 8, from: 'stranger/site' }))).toBe(202);
    await ground.service.ingest();
    expect([await runs(careful), await runs(off)]).toEqual([[], []]);
    const [run] = await runs(open);
    expect(run?.attributes).toMatchObject({ 'plan-only': true, message: 'A pull request' });
    await ground.service.postStatuses();
    expect(stage.host.got).toMatchObject([
      {
        headers: { authorization: 'Bearer token-not-for-eyes' },
        body: { state: 'pending', context: expect.stringContaining(stage.organization.name) },
      },
    ]);
    expect(await stage.deliver('pull_request', pullOf(head, base))).toBe(202);
    await ground.service.ingest();
    expect(await runs(careful)).toHaveLength(1);
  },
);

withGit('a body that is too large by its head is refused before it arrives', async () => {
  const { webhook } = await vcsStage(ground);
  const url = new URL(webhook.url);
  const request = httpRequest(url, { method: 'POST', headers: { 'content-length': 5 * 1024 * 1024 } });
  ending({ close: async () => void request.destroy() });
  request.flushHeaders();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(413);
});
