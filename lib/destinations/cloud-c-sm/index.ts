import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { publishedRate } from '../frame/rate.ts';
import { fileOf, parseCredentials } from './fields/credentials.ts';
import { type Connection, fields } from './fields/fields.ts';
import { locationsOf } from './fields/replication.ts';
import { isSameVersion } from './look/receipt.ts';
import { names, tags } from './names.ts';
import { relations, validate } from './validate.ts';

export type { Connection } from './fields/fields.ts';

/** Secrets of one project. Each put adds a version; older versions stay unless `destroy_old_versions` is set. */
export const definition = {
  type: 'cloud-c-sm',
  alias: 'gcp-sm',
  title: 'Google Cloud Secret Manager',
  links: [
    {
      title: 'Names and labels',
      url: 'https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets',
    },
    { title: 'Quotas', url: 'https://cloud.google.com/secret-manager/quotas' },
  ],
  fields,
  relations,
  validate,
  fixed,
  granularity: 'secret-path',
  templates: {
    'secret-path': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}',
    'secret-key': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}/{{ .SecretKey }}',
  },
  names,
  tags,
  isSameVersion,
  listing: 'names',
  // "Maximum size of a secret version payload: 64 KiB": https://cloud.google.com/secret-manager/quotas
  valueBytesMax: 64 * 1024,
  // The service refuses a version without data.
  refusesEmpty: true,
  publicMembers: [
    'type',
    'project_id',
    'client_email',
    'client_id',
    'auth_uri',
    'token_uri',
    'auth_provider_x509_cert_url',
    'client_x509_cert_url',
    'universe_domain',
  ],
  // 600 writes and 600 reads per minute and project: https://cloud.google.com/secret-manager/quotas
  rate: publishedRate(600, 60),
  rateAccount: (connection) => [projectOf(connection), baseUrl(connection.endpoint ?? '')],
  // A secret and its first version are two writes; a look reads the secret and its newest version.
  costs: { create: 2, look: 2 },
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;

/** The locations of existing secrets cannot be changed, and another project has other secrets. */
function fixed(connection: Connection): Readonly<Record<string, unknown>> {
  const project = connection.project_id === undefined ? ownProjectOf(connection.credentials) : undefined;
  return {
    'replica_regions (or replication_locations)': locationsOf(connection),
    ...(project !== undefined && { 'the project of credentials': project }),
  };
}

/** The project of the secrets, or the file's name where only the worker reads the credentials. */
function projectOf({ project_id, credentials }: Connection): string {
  return project_id ?? ownProjectOf(credentials) ?? credentials;
}

/** Undefined when the credentials are in a file, which only the worker reads. */
function ownProjectOf(credentials: string): string | undefined {
  if (fileOf(credentials) !== undefined) return undefined;
  const account = parseCredentials(credentials);
  return typeof account === 'string' ? undefined : account.project_id;
}
