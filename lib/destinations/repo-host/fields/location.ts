// Beyond the usual files: secrets belong to a repository, an environment or an organization, each with its own routes.
import type { Connection } from './fields.ts';

/** The container of the secrets and its place in the API. */
export interface Location {
  /** For messages: `repository acme/app`. */
  readonly text: string;
  /** The permission that the credentials need, as in `Call`: https://docs.github.com/en/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens */
  readonly rights: string;
  /** Route template of the secrets, with `<route>/public-key` and `<route>/{secret_name}` below it. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The connection has passed `validate`, so the names that its location needs are set. */
export function locate(connection: Connection): Location {
  if (connection.secrets_location === 'organization') return organization(connection.organization_name ?? '');
  const { repository_owner: owner = '', repository_name: repo = '', environment_name } = connection;
  return environment_name === undefined ? repository(owner, repo) : environment(owner, repo, environment_name);
}

const organization = (org: string): Location => ({
  text: `organization ${org}`,
  rights: 'the organization permission "Secrets: read and write"',
  route: '/orgs/{org}/actions/secrets',
  parameters: { org },
});

const repository = (owner: string, repo: string): Location => ({
  text: `repository ${owner}/${repo}`,
  rights: 'the repository permission "Secrets: read and write"',
  route: '/repos/{owner}/{repo}/actions/secrets',
  parameters: { owner, repo },
});

const environment = (owner: string, repo: string, environment_name: string): Location => ({
  text: `environment ${environment_name} of repository ${owner}/${repo}`,
  rights: 'the repository permissions "Secrets: read and write" and "Environments: read and write"',
  route: '/repos/{owner}/{repo}/environments/{environment_name}/secrets',
  parameters: { owner, repo, environment_name },
});
