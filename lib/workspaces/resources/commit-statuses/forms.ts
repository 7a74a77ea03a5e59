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

/** The call that sets a status; undefined for hosts without one. */
export function statusCall({ client, token }: Source, status: Status): StatusCall | undefined {
  if (token === undefined) return undefined;
  const at = client['api-url'].replace(/\/+$/, '');
  const path = status.repository.split('/').map(encodeURIComponent).join('/');
  const description = descriptions[status.state];
  const target = status.url === undefined ? {} : { target_url: status.url };
  // Bitbucket demands an address.
  const url = status.url ?? client['http-url'];
  const post = (address: string, body: object): StatusCall => ({
    url: address,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'user-agent': 'keyferry' },
    body: JSON.stringify(body),
  });
  switch (client['service-provider']) {
    case 'github':
    case 'github_enterprise':
      return post(`${at}/repos/${path}/statuses/${status.commit}`, {
        state: github[status.state],
        context: status.context,
        description,
        ...target,
      });
    case 'gitlab_hosted':
    case 'gitlab_community_edition':
    case 'gitlab_enterprise_edition':
      return post(`${at}/projects/${encodeURIComponent(status.repository)}/statuses/${status.commit}`, {
        state: gitlab[status.state],
        name: status.context,
        description,
        ...target,
      });
    case 'bitbucket_hosted':
      return post(`${at}/repositories/${path}/commit/${status.commit}/statuses/build`, {
        state: bitbucket[status.state],
        key: status.context,
        name: status.context,
        description,
        url,
      });
    case 'bitbucket_server':
    case 'bitbucket_data_center':
      return post(`${client['http-url'].replace(/\/+$/, '')}/rest/build-status/1.0/commits/${status.commit}`, {
        state: bitbucketServer[status.state],
        key: status.context,
        name: status.context,
        description,
        url,
      });
    default:
      return undefined;
  }
}
