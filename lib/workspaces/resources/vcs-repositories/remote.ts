import type { Remote } from '#network/git/settings.ts';
import type { Source } from './source.ts';

type Provider = Source['client']['service-provider'];

/** The path of a repository below the address of its host. */
const pathOf: Partial<Record<Provider, (identifier: string) => string>> = {
  ado_server: (identifier) => identifier,
  ado_services: (identifier) => identifier,
  bitbucket_data_center: (identifier) => `scm/${identifier}.git`,
  bitbucket_server: (identifier) => `scm/${identifier}.git`,
};

/** User names that go with a token as the password. Without one the token is a bearer token. */
const userOf: Partial<Record<Provider, string>> = {
  ado_server: 'token',
  ado_services: 'token',
  bitbucket_hosted: 'x-token-auth',
  github: 'x-access-token',
  github_enterprise: 'x-access-token',
  gitlab_community_edition: 'oauth2',
  gitlab_enterprise_edition: 'oauth2',
  gitlab_hosted: 'oauth2',
};

/** A repository of a source: over HTTPS with the OAuth token, or over SSH when the source has an SSH key and no token. */
export function remoteOf(source: Source, identifier: string): Remote {
  const provider = source.client['service-provider'];
  const path = (pathOf[provider] ?? ((one: string) => `${one}.git`))(encoded(identifier));
  const base = source.client['http-url'].replace(/\/+$/, '');
  if (source.token === undefined && source.sshKey !== undefined)
    return { url: `ssh://git@${new URL(base).hostname}/${path}`, sshKey: source.sshKey };
  return { url: `${base}/${path}`, authorization: authorizationOf(source) };
}

/** A repository at another address, such as that of a submodule. Only the own host gets the OAuth token. */
export function remoteAt(source: Source, url: string): Remote {
  if (url.startsWith('ssh:')) return { url, sshKey: source.sshKey };
  const isOwn = new URL(url).origin === new URL(source.client['http-url']).origin;
  return { url, authorization: isOwn ? authorizationOf(source) : undefined };
}

const encoded = (identifier: string): string => identifier.split('/').map(encodeURIComponent).join('/');

function authorizationOf({ client, token }: Source): string | undefined {
  if (token === undefined) return undefined;
  const user = userOf[client['service-provider']];
  return user === undefined ? `Bearer ${token}` : `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
}
