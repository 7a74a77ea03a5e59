import { expect, test } from 'vitest';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { noGit, pushOf, vcsStage } from './stage.ts';

const ground = workspaceGround();
const withGit = test.skipIf(noGit !== undefined);

const configurations = async (workspace: string) =>
  (await ground.call('GET', `/workspaces/${workspace}/configuration-versions`)).items;

const gitlabPush = (after: string) => ({
  object_kind: 'push',
  ref: 'refs/heads/main',
  before: '0'.repeat(40),
  checkout_sha: after,
  user_username: 'ada',
  project: { path_with_namespace: 'acme/site', default_branch: 'main' },
  commits: [{ id: after, message: 'From the event', author: { name: 'Ada' } }],
});

const bitbucketPush = (after: string) => ({
  repository: { full_name: 'acme/site' },
  actor: { nickname: 'ada' },
  push: {
    changes: [
      {
        new: {
          name: 'main',
          type: 'branch',
          target: { hash: after, message: 'From the event', author: { raw: 'Ada' } },
        },
      },
    ],
  },
});

withGit.each([
  ['gitlab_hosted', 'Push Hook', gitlabPush, { 'x-gitlab-token': 'other' }],
  ['bitbucket_hosted', 'repo:push', bitbucketPush, { 'x-hub-signature': `sha256=${'0'.repeat(64)}` }],
] as const)('a push in the form of %s becomes a configuration version', async (provider, event, formOf, forged) => {
  const stage = await vcsStage(ground, provider);
  const workspace = await stage.workspace();
  const commit = stage.repository.commit({ 'main.tf': 'one' });
  expect(await stage.deliver(event, formOf(commit), forged)).toBe(403);
  expect(await configurations(workspace)).toEqual([]);
  expect(await stage.deliver(event, formOf(commit))).toBe(202);
  await ground.service.ingest();
  const [made] = await configurations(workspace);
  expect(made?.attributes['status']).toBe('uploaded');
  const facts = await ground.call('GET', `/configuration-versions/${made?.id}/ingress-attributes`);
  expect(facts.item.attributes).toMatchObject({
    branch: 'main',
    'commit-sha': commit,
    'commit-message': 'From the event',
    'commit-author': 'Ada',
    'sender-username': 'ada',
  });
});

withGit('the runs of a commit that cannot be fetched end with it, and the reason is shown', async () => {
  const stage = await vcsStage(ground);
  const workspace = await stage.workspace();
  stage.repository.commit({ 'main.tf': 'one' });
  expect(await stage.deliver('push', pushOf(undefined, 'a'.repeat(40)))).toBe(202);
  const [waiting] = await configurations(workspace);
  const run = await ground.call(
    'POST',
    '/runs',
    documentOf(
      'runs',
      {},
      {
        workspace: { type: 'workspaces', id: workspace },
        'configuration-version': { type: 'configuration-versions', id: waiting?.id },
      },
    ),
  );
  expect([run.status, run.item.attributes['status']]).toEqual([201, 'pending']);
  await ground.service.ingest();
  const [ended] = await configurations(workspace);
  expect(ended?.attributes).toMatchObject({ status: 'errored', 'error-message': expect.stringContaining('commit') });
  expect((await ground.call('GET', `/runs/${run.item.id}`)).item.attributes['status']).toBe('errored');
});

withGit(
  'only tags that match the expression of a workspace, and files that match its patterns, make runs',
  async () => {
    const stage = await vcsStage(ground);
    const tagged = await stage.workspace({}, { 'tags-regex': '^v[0-9]+\\.[0-9]+$' });
    const patterned = await stage.workspace({
      'trigger-patterns': ['/modules/**/*.tf'],
      'file-triggers-enabled': true,
    });
    const commit = stage.repository.commit({ 'main.tf': 'one' });
    await stage.deliver('push', { ...pushOf(undefined, commit), ref: 'refs/tags/v1.2' });
    await stage.deliver('push', { ...pushOf(undefined, commit), ref: 'refs/tags/beta' });
    await ground.service.ingest();
    expect(await configurations(tagged)).toHaveLength(1);
    const other = stage.repository.commit({ 'main.tf': 'two' });
    const inside = stage.repository.commit({ 'modules/a/b/main.tf': 'three' });
    await stage.deliver('push', pushOf(commit, other));
    await ground.service.ingest();
    expect(await configurations(patterned)).toEqual([]);
    await stage.deliver('push', pushOf(other, inside));
    await ground.service.ingest();
    expect(await configurations(patterned)).toHaveLength(1);
  },
);

withGit('the action fetches the named branch without a webhook', async () => {
  const stage = await vcsStage(ground);
  const workspace = await stage.workspace();
  const commit = stage.repository.commit({ 'main.tf': 'topic' }, { branch: 'topic' });
  stage.repository.commit({ 'main.tf': 'main' });
  const answer = await ground.call(
    'POST',
    `/workspaces/${workspace}/actions/ingress`,
    documentOf('ingresses', { branch: 'topic' }),
  );
  expect(answer.status, answer.text).toBeLessThan(300);
  await ground.service.ingest();
  const [made] = await configurations(workspace);
  const facts = await ground.call('GET', `/configuration-versions/${made?.id}/ingress-attributes`);
  expect(facts.item.attributes).toMatchObject({ branch: 'topic', 'commit-sha': commit });
});
