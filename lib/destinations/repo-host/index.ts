import type { DestinationDefinition } from '../contract.ts';
import { nineTenthsOf } from '../frame/rate.ts';
import { apiBase, refuseAddresses } from './address.ts';
import { addressFields, fields } from './fields.ts';
import { names } from './names.ts';
import { validate } from './validate.ts';
import { isSameVersion } from './versions.ts';

export type { Connection } from './fields.ts';

/**
 * Secrets for the workflows of a repository host: of a repository, of one of its environments, or of an organization.
 * The host keeps no tags and never gives a value back.
 */
export const definition = {
  type: 'repo-host',
  alias: 'gh',
  title: 'Repository host action secrets',
  fields,
  validate,
  credential: {
    path: 'github-apps',
    namedBy: 'app_name',
    sealedAs: 'repo_host_apps',
    help: {
      list: 'The configured apps of repository hosts.',
      one: 'An app that destinations of type repo-host may log in with.',
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
  // No tags and no comment with a secret; the time of creation stands in.
  markless: true,
  // The times that stand for versions are in seconds.
  coarseVersions: true,
  // "Secrets are limited to 48 KB in size": https://docs.github.com/en/actions/reference/security/secrets
  valueBytesMax: 48 * 1024,
  // 900 points in a minute: a write costs 5, a look 1. The limits on requests that create content are for what notifies
  // people; should the host count ours, it says so by Retry-After.
  // https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
  rate: nineTenthsOf(900 / 5, 60),
  // An app, when given, takes precedence; its installations are numbered for all of the host.
  rateAccount: (connection) => [
    connection.app_name === undefined ? 'token' : 'installation',
    String((connection.app_name === undefined ? connection.access_token : connection.installation_id) ?? ''),
    apiBase(connection),
  ],
  costs: { create: 6 / 5, look: 1 / 5 },
  // The host asks for requests one after the other:
  // https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
  concurrencyMax: 1,
} satisfies DestinationDefinition<typeof fields>;
