import { createHmac } from 'node:crypto';
import { patience } from '#test/support/measures/patience.ts';
import { type GitServer, gitServer, gitVersion, type TestRepository } from '#test/support/servers/git-server.ts';
import { type Receiver, receiver } from '#test/support/servers/receiver.ts';
import { documentOf } from '../../support/documents.ts';
import type { WorkspaceGround } from '../../support/ground.ts';

/** Why tests with repositories cannot run; undefined when they can. */
export const noGit = gitVersion() === undefined ? 'this machine has no git' : undefined;
if (noGit !== undefined) console.log(`skipped: ${noGit}`);

/** An organization with a client of a repository host that is a real server, and a repository. */
export interface VcsStage {
  readonly organization: { readonly id: string; readonly name: string };
  readonly git: GitServer;
  readonly host: Receiver;
  readonly repository: TestRepository;
  readonly tokenId: string;
  readonly clientId: string;
  readonly webhook: { readonly url: string; readonly secret: string };
  workspace(attributes?: object, repo?: object): Promise<string>;
  /** Posts an event as the host does. */
  deliver(event: string, payload: object, headers?: Readonly<Record<string, string>>): Promise<number>;
}

const passwordNotForEyes = 'token-not-for-eyes';

export async function vcsStage(ground: WorkspaceGround, provider = 'github'): Promise<VcsStage> {
  const organization = await ground.organization();
  const [git, host] = [await gitServer(), await receiver(201)];
  git.password = passwordNotForEyes;
  const attributes = {
    'service-provider': provider,
    'http-url': git.url,
    'api-url': new URL(host.url).origin,
    'oauth-token-string': passwordNotForEyes,
  };
  const client = await ground.call(
    'POST',
    `/organizations/${organization.name}/oauth-clients`,
    documentOf('oauth-clients', attributes),
  );
  const [token] = (client.item.relationships['oauth-tokens']?.data ?? []) as readonly { readonly id: string }[];
  const made = await ground.call('POST', `/oauth-clients/${client.item.id}/actions/create-webhook`);
  const webhook = made.item.attributes as unknown as VcsStage['webhook'];
  const tokenId = token?.id ?? '';
  return {
    ...{ organization, git, host, repository: git.repository(folderOf(provider)), tokenId, webhook },
    clientId: client.item.id,
    async workspace(more = {}, repo = {}) {
      const answer = await ground.call(
        'POST',
        `/organizations/${organization.name}/workspaces`,
        documentOf('workspaces', {
          name: ground.service.name('ws'),
          'queue-all-runs': true,
          ...more,
          'vcs-repo': { identifier: 'acme/site', 'oauth-token-id': tokenId, ...repo },
        }),
      );
      if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
      return answer.item.id;
    },
    async deliver(event, payload, headers = {}) {
      const body = JSON.stringify(payload);
      const answer = await fetch(webhook.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signed(provider, event, body, webhook.secret), ...headers },
        body,
        signal: AbortSignal.timeout(patience.conditionMs),
      });
      return answer.status;
    },
  };
}

/** Where a host of this kind has the repository `acme/site`. */
const folderOf = (provider: string): string =>
  /^bitbucket_(server|data_center)$/.test(provider) ? 'scm/acme/site' : 'acme/site';

function signed(provider: string, event: string, body: string, secret: string): Readonly<Record<string, string>> {
  const hmac = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (provider.startsWith('gitlab')) return { 'x-gitlab-event': event, 'x-gitlab-token': secret };
  if (provider.startsWith('bitbucket')) return { 'x-event-key': event, 'x-hub-signature': hmac };
  return { 'x-github-event': event, 'x-hub-signature-256': hmac };
}

/** The event `push` of GitHub. */
export const pushOf = (before: string | undefined, after: string, more: object = {}) => ({
  ref: 'refs/heads/main',
  before: before ?? '0'.repeat(40),
  after,
  compare: 'https://host.example/compare',
  repository: { full_name: 'acme/site', default_branch: 'main', clone_url: 'https://host.example/acme/site.git' },
  head_commit: { id: after, message: 'From the event', author: { name: 'Ada' }, url: 'https://host.example/c' },
  sender: { login: 'ada' },
  ...more,
});

/** The event `pull_request` of GitHub. */
export const pullOf = (head: string, base: string, more: { number?: number; from?: string } = {}) => ({
  action: 'opened',
  number: more.number ?? 7,
  pull_request: {
    title: 'A pull request',
    html_url: 'https://host.example/pull/7',
    head: { sha: head, ref: 'topic', repo: { full_name: more.from ?? 'acme/site' } },
    base: { sha: base, ref: 'main' },
  },
  repository: { full_name: 'acme/site', default_branch: 'main' },
});
