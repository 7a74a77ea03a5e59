import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { nineTenthsOf } from '../frame/rate.ts';
import { fields } from './fields.ts';
import { fixed, projectOf } from './fixed.ts';
import { names } from './names.ts';
import { isSameVersion } from './receipt.ts';
import { tags } from './tags.ts';
import { validate } from './validate.ts';

export type { Connection } from './fields.ts';

/** Secrets of one project. Each put adds a version; older versions stay unless `destroy_old_versions` is set. */
export const definition = {
  type: 'cloud-c-sm',
  alias: 'gcp-sm',
  title: 'Google Cloud Secret Manager',
  fields,
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
  // "Maximum size of a secret version payload: 64 KiB": https://cloud.google.com/secret-manager/quotas
  valueBytesMax: 64 * 1024,
  // A version without data is refused by the service.
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
  rate: nineTenthsOf(600, 60),
  rateAccount: (connection) => [projectOf(connection), baseUrl(connection.endpoint ?? '')],
  // A secret and its first version are two writes; a look reads the secret and its newest version.
  costs: { create: 2, look: 2 },
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;
