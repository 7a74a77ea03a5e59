/** Services that have repositories, by the names of the API, with those that people know. */
export const providers = {
  ado_server: 'Azure DevOps Server',
  ado_services: 'Azure DevOps Services',
  bitbucket_data_center: 'Bitbucket Data Center',
  bitbucket_hosted: 'Bitbucket Cloud',
  bitbucket_server: 'Bitbucket Server',
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
  gitlab_hosted: 'GitLab.com',
} as const;

export type Provider = keyof typeof providers;

export const providerNames = Object.keys(providers) as [Provider, ...Provider[]];
