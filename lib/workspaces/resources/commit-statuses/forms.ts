import { createHash } from 'node:crypto';
import type { Source } from '../vcs-repositories/source.ts';
import { type CommitState, descriptions } from './state.ts';

/** A status for a repository host. */
export interface Status {
  readonly repository: string;
  readonly commit: string;
  readonly state: CommitState;
  /** Names the workspace, so that each has a status of its own. */
  readonly context: string;
  /** The page of the run; undefined when the address of this service is not known. */
  readonly url: string | undefined;
}

export interface StatusCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Words = Readonly<Record<CommitState, string>>;

const github: Words = { pending: 'pending', success: 'success', failure: 'failure', stopped: 'error' };
const gitlab: Words = { pending: 'pending', success: 'success', failure: 'failed', stopped: 'canceled' };
const bitbucket: Words = { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED', stopped: 'STOPPED' };
/** Servers know three words. */
const bitbucketServer: Words = { ...bitbucket, stopped: 'FAILED' };

/** The address of the call and its body, by what a host expects. */
type Form = (client: Source['client'], status: Status) => readonly [address: string, body: object];

const trimmed = (address: string): string => address.replace(/\/+$/, '');
const pathOf = ({ repository }: Status): string => repository.split('/').map(encodeURIComponent).join('/');
const target = ({ url }: Status): object => (url === undefined ? {} : { target_url: url });

const onGithub: Form = (client, status) => [
  `${trimmed(client['api-url'])}/repos/${pathOf(status)}/statuses/${status.commit}`,
  {
    state: github[status.state],
    context: status.context,
    description: descriptions[status.state],
    ...target(status),
  },
];

const onGitlab: Form = (client, status) => [
  `${trimmed(client['api-url'])}/projects/${encodeURIComponent(status.repository)}/statuses/${status.commit}`,
  { state: gitlab[status.state], name: status.context, description: descriptions[status.state], ...target(status) },
];

/** Bitbucket Cloud refuses keys that are longer. */
const keyCharactersMax = 40;

/** The key under which Bitbucket replaces a former status: the context, or its hash where that is too long. */
const keyOf = ({ context }: Status): string =>
  context.length <= keyCharactersMax
    ? context
    : createHash('sha256').update(context).digest('hex').slice(0, keyCharactersMax);

/** Bitbucket demands an address. */
const buildStatus = (words: Words, client: Source['client'], status: Status): object => ({
  state: words[status.state],
  key: keyOf(status),
  name: status.context,
  description: descriptions[status.state],
  url: status.url ?? client['http-url'],
});

const onBitbucket: Form = (client, status) => [
  `${trimmed(client['api-url'])}/repositories/${pathOf(status)}/commit/${status.commit}/statuses/build`,
  buildStatus(bitbucket, client, status),
];

const onBitbucketServer: Form = (client, status) => [
  `${trimmed(client['http-url'])}/rest/build-status/1.0/commits/${status.commit}`,
  buildStatus(bitbucketServer, client, status),
];

const forms: Partial<Record<Source['client']['service-provider'], Form>> = {
  bitbucket_data_center: onBitbucketServer,
  bitbucket_hosted: onBitbucket,
  bitbucket_server: onBitbucketServer,
  github: onGithub,
  github_enterprise: onGithub,
  gitlab_community_edition: onGitlab,
  gitlab_enterprise_edition: onGitlab,
  gitlab_hosted: onGitlab,
};

/** The call that sets a status; undefined for hosts without one. */
export function statusCall({ client, token }: Source, status: Status): StatusCall | undefined {
  const form = forms[client['service-provider']];
  if (token === undefined || form === undefined) return undefined;
  const [url, body] = form(client, status);
  return {
    url,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'keyferry' },
    body: JSON.stringify(body),
  };
}
