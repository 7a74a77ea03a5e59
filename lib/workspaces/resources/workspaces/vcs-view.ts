import { webhookPath } from '../oauth-clients/webhook.ts';
import type { Facts } from '../workspace-includes/facts.ts';
import { connected, type VcsRepo } from '../workspace-settings/vcs-repo.ts';

/** The attributes of a workspace about its repository. */
export function vcsAttributes(
  stored: VcsRepo | null,
  tokenId: string | null,
  facts: Facts,
  publicUrl: string | undefined,
) {
  const { oauth_client } = facts;
  const repo = connected({ repo: stored, oauth_token_id: tokenId });
  const provider = textOf(oauth_client, 'service-provider') ?? (repo === null ? null : 'github_app');
  return {
    'oauth-client-name': textOf(oauth_client, 'name'),
    'vcs-repo': repo && {
      ...repoOf(repo, tokenId, oauth_client),
      'service-provider': provider,
      'webhook-url': webhookUrl(facts, publicUrl),
    },
    'vcs-repo-identifier': repo?.identifier ?? null,
  };
}

function repoOf(repo: VcsRepo, tokenId: string | null, client: Facts['oauth_client']) {
  const host = textOf(client, 'http-url');
  return {
    branch: repo.branch,
    'display-identifier': repo.identifier,
    identifier: repo.identifier,
    'ingress-forks': repo['ingress-forks'] ?? false,
    'ingress-submodules': repo['ingress-submodules'],
    'oauth-token-id': tokenId,
    'repository-http-url': host === null ? null : `${host.replace(/\/+$/, '')}/${repo.identifier}`,
    'tags-regex': repo['tags-regex'],
    'vcs-app-installation-id': repo['vcs-app-installation-id'],
    'github-app-installation-id': repo['vcs-app-installation-id'],
  };
}

/** Null while the client has no webhook. */
const webhookUrl = ({ webhook_client_id: id }: Facts, publicUrl = ''): string | null =>
  id === null ? null : `${publicUrl}${webhookPath(id)}`;

function textOf(client: Facts['oauth_client'], name: string): string | null {
  const value = client?.[name];
  return typeof value === 'string' ? value : null;
}
