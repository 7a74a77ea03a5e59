import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { workspaceGround } from '../../support/ground.ts';
import { noGit, pushOf, vcsStage } from './stage.ts';

const ground = workspaceGround();
const withGit = test.skipIf(noGit !== undefined);

const newest = async (workspace: string) => {
  const [one] = (await ground.call('GET', `/workspaces/${workspace}/configuration-versions`)).items;
  return one?.attributes;
};

/** Lets the pause after a failed fetch pass. */
const pass = (workspace: string) =>
  sql`update ws_ingresses set next_at = now() where workspace_id = ${workspace} and next_at is not null`.execute(
    ground.service.store.db,
  );

withGit('a commit is fetched again after a fault of its host, and shows the reason until then', async () => {
  const stage = await vcsStage(ground);
  const workspace = await stage.workspace();
  const commit = stage.repository.commit({ 'main.tf': 'one' });
  stage.git.fault = 503;
  expect(await stage.deliver('push', pushOf(undefined, commit))).toBe(202);
  await ground.service.ingest();
  const reason = 'the server did not deliver the repository';
  expect(await newest(workspace)).toMatchObject({ status: 'pending', 'error-message': reason });
  const asked = stage.git.asked.length;
  await ground.service.ingest();
  expect(stage.git.asked).toHaveLength(asked);
  stage.git.fault = undefined;
  await pass(workspace);
  await ground.service.ingest();
  expect(await newest(workspace)).toMatchObject({ status: 'uploaded', 'error-message': null });
  expect((await ground.call('GET', `/workspaces/${workspace}/runs`)).items).toHaveLength(1);
});

withGit('a host that stays faulty is asked five times, and a credential that it refuses once', async () => {
  const stage = await vcsStage(ground);
  const workspace = await stage.workspace();
  const first = stage.repository.commit({ 'main.tf': 'one' });
  stage.git.fault = 500;
  await stage.deliver('push', pushOf(undefined, first));
  for (let time = 1; time < 5; time += 1) {
    await pass(workspace);
    await ground.service.ingest();
    expect((await newest(workspace))?.['status']).toBe('pending');
  }
  await pass(workspace);
  await ground.service.ingest();
  expect(await newest(workspace)).toMatchObject({ status: 'errored' });
  stage.git.fault = undefined;
  stage.git.password = 'another';
  const second = stage.repository.commit({ 'main.tf': 'two' });
  await stage.deliver('push', pushOf(first, second));
  await ground.service.ingest();
  expect(await newest(workspace)).toMatchObject({
    status: 'errored',
    'error-message': 'the server refused the credential',
  });
  stage.git.password = 'token-not-for-eyes';
  const third = stage.repository.commit({ 'main.tf': 'three' });
  await stage.deliver('push', pushOf(second, third));
  await ground.service.ingest();
  expect(await newest(workspace)).toMatchObject({ status: 'uploaded' });
});
