import type { DestinationDefinition } from '../contract.ts';
import { publishedRate } from '../frame/rate.ts';
import { apiBase, refuseAddresses } from './fields/address.ts';
import { addressFields, fields } from './fields/fields.ts';
import { names } from './names.ts';
import { isSameVersion } from './put/versions.ts';
import { relations, validate } from './validate.ts';

export type { Connection } from './fields/fields.ts';

/**
 * Secrets for the workflows of a repository host: of a repository, of one of its environments, or of an organization.
 * The host stores no tags and never returns a value.
 */
export const definition = {
  type: 'repo-host',
  alias: 'gh',
  title: 'Repository host action secrets',
  links: [
    {
      title: 'Permissions of tokens',
      url: 'https://docs.github.com/en/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens',
    },
    { title: 'Names and sizes', url: 'https://docs.github.com/en/actions/reference/security/secrets' },
    { title: 'Rate limits', url: 'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api' },
  ],
  fields,
  relations,
  validate,
  credential: {
    path: 'github-apps',
    namedBy: 'app_name',
    sealedAs: 'repo_host_apps',
    help: {
      list: 'Lists the configured apps of repository hosts.',
      one: 'Manages an app with which destinations of type repo-host may log in.',
      name: 'Name of the app, as configured at the repository host',
      id: 'Number of the app at the repository host',
    },
    fields: addressFields,
    refuse: refuseAddresses,
    base: apiBase,
  },
  granularity: 'secret-key',
  templates: {
    'secret-path': 'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}',
    'secret-key':
      'KEYFERRY_{{ .MountAccessor | uppercase }}_{{ .SecretPath | uppercase }}_{{ .SecretKey | uppercase }}',
  },
  names,
  isSameVersion,
  // Secrets have neither tags nor comments; the time of creation shows whether one is ours.
  markless: true,
  // The times that serve as versions are in seconds.
  coarseVersions: true,
  listing: 'versions',
  // "Secrets are limited to 48 KB in size": https://docs.github.com/en/actions/reference/security/secrets
  valueBytesMax: 48 * 1024,
  // 900 points in a minute: a write costs 5, a look 1. The limits on requests that create content are for content that notifies
  // users; should the host count ours, its Retry-After says so.
  // https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
  rate: publishedRate(900 / 5, 60),
  // If an app is set, it takes precedence. Ids of installations are unique at the host.
  rateAccount: (connection) => [
    connection.app_name === undefined ? 'token' : 'installation',
    String((connection.app_name === undefined ? connection.access_token : connection.installation_id) ?? ''),
    apiBase(connection),
  ],
  costs: { create: 6 / 5, look: 1 / 5 },
  // The host asks clients to make requests serially:
  // https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
  concurrencyMax: 1,
} satisfies DestinationDefinition<typeof fields>;
