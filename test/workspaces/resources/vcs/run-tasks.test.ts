import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { addedTask } from '../run-tasks/service-of.ts';
import { noGit, pullOf, pushOf, vcsStage } from './stage.ts';

const ground = workspaceGround();
const withGit = test.skipIf(noGit !== undefined);

withGit('the request to a run task names the repository, the branch, the commit and the pull request', async () => {
  const stage = await vcsStage(ground);
  const id = await stage.workspace();
  const { service, asked } = await addedTask(
    ground,
    { organization: stage.organization, workspace: { id } },
    { stages: ['pre_plan'] },
  );
  const first = stage.repository.commit({ 'main.tf': 'one' });
  await stage.deliver('push', pushOf(undefined, first));
  await ground.service.ingest();
  const repository = `${stage.git.url.replace(/\/+$/, '')}/acme/site`;
  expect((await asked()).payload).toMatchObject({
    vcs_repo_url: repository,
    vcs_branch: 'main',
    vcs_commit_url: 'https://host.example/c',
    vcs_pull_request_url: null,
  });
  const head = stage.repository.commit({ 'main.tf': 'two' });
  await stage.deliver('pull_request', pullOf(head, first));
  await ground.service.ingest();
  await ground.service.notify();
  expect(service.received.at(-1)?.payload).toMatchObject({
    is_speculative: true,
    vcs_repo_url: repository,
    vcs_branch: 'topic',
    vcs_pull_request_url: 'https://host.example/pull/7',
  });
});
