import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { statusCall } from '#workspaces/resources/commit-statuses/forms.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { noGit, type VcsStage, vcsStage } from './stage.ts';

const ground = workspaceGround();
const withGit = test.skipIf(noGit !== undefined);

/** A workspace whose newest commit was asked for and fetched, and its run. */
async function fetched(stage: VcsStage) {
  const workspace = await stage.workspace();
  const commit = stage.repository.commit({ 'main.tf': 'one' });
  const path = `/workspaces/${workspace}/actions/ingress`;
  const asked = await ground.call('POST', path, documentOf('ingresses', { branch: 'main' }));
  expect(asked.status, asked.text).toBeLessThan(300);
  await ground.service.ingest();
  const [run] = (await ground.call('GET', `/workspaces/${workspace}/runs`)).items;
  return { workspace, commit, run: run?.id ?? '' };
}

/** Lets the time pass after which the host is told or asked again. */
const pass = (workspace: string) =>
  sql`update ws_ingresses set status_at = now() where workspace_id = ${workspace} and status_at is not null`.execute(
    ground.service.store.db,
  );

const hosts = [
  ['gitlab_hosted', (commit: string) => `/projects/acme%2Fsite/statuses/${commit}`, 'pending', 'canceled'],
  [
    'bitbucket_hosted',
    (commit: string) => `/repositories/acme/site/commit/${commit}/statuses/build`,
    'INPROGRESS',
    'STOPPED',
  ],
  ['bitbucket_server', (commit: string) => `/rest/build-status/1.0/commits/${commit}`, 'INPROGRESS', 'FAILED'],
] as const;

withGit.each(hosts)(
  '%s learns that a run waits and that it was canceled, each once',
  async (provider, pathOf, ...words) => {
    const stage = await vcsStage(ground, provider);
    const { workspace, commit, run } = await fetched(stage);
    // A server takes statuses at the address that has its repositories, which is another stand-in here.
    await sql`
    update ws_oauth_clients set settings = settings || ${JSON.stringify({ 'http-url': new URL(stage.host.url).origin })}
     where id = ${stage.clientId}`.execute(ground.service.store.db);
    const tell = async () => {
      await pass(workspace);
      await ground.service.postStatuses();
    };
    await tell();
    await tell();
    const canceled = await ground.call('POST', `/runs/${run}/actions/cancel`);
    expect(canceled.status, canceled.text).toBe(202);
    await tell();
    await tell();
    expect(stage.host.got).toMatchObject(
      words.map((state) => ({
        path: pathOf(commit),
        headers: { authorization: 'Bearer token-not-for-eyes', 'content-type': 'application/json' },
        body: { state, name: expect.stringContaining(stage.organization.name) },
      })),
    );
    expect(JSON.stringify(ground.service.logged)).not.toContain('not-for-eyes');
  },
);

withGit(
  'a host that refuses a status is asked again with the state of that time, and no more after eight times',
  async () => {
    const stage = await vcsStage(ground, 'gitlab_hosted');
    const { workspace, run } = await fetched(stage);
    const states = () => stage.host.got.map(({ body }) => body['state']);
    stage.host.manner = 500;
    await ground.service.postStatuses();
    await ground.service.postStatuses();
    expect(states()).toEqual(['pending']);
    await ground.call('POST', `/runs/${run}/actions/cancel`);
    stage.host.manner = 201;
    await pass(workspace);
    await ground.service.postStatuses();
    expect(states()).toEqual(['pending', 'canceled']);
    const refusing = await vcsStage(ground, 'bitbucket_hosted');
    const other = await fetched(refusing);
    refusing.host.manner = 400;
    for (let time = 0; time < 10; time += 1) {
      await pass(other.workspace);
      await ground.service.postStatuses();
    }
    expect(refusing.host.got).toHaveLength(8);
  },
);

test('the key of a status for Bitbucket has 40 characters at most, and is another for each workspace', () => {
  const keyOf = (context: string): unknown => {
    const client = {
      'service-provider': 'bitbucket_hosted',
      'http-url': 'https://b.test',
      'api-url': 'https://a.test',
    };
    const source = { clientId: 'oc-1', client, token: 't', sshKey: undefined } as Parameters<typeof statusCall>[0];
    const status = { repository: 'a/b', commit: 'c', state: 'pending', context, url: undefined } as const;
    return JSON.parse(statusCall(source, status)?.body ?? '{}').key;
  };
  const long = (end: string) => keyOf(`keyferry/an-organization-of-some-length/a-workspace-${end}`);
  expect(keyOf('keyferry/acme/site')).toBe('keyferry/acme/site');
  expect([long('a'), long('b')]).toEqual([expect.stringMatching(/^.{40}$/), expect.stringMatching(/^.{40}$/)]);
  expect(long('a')).not.toBe(long('b'));
});
