import type { DestinationDefinition } from '../contract.ts';
import { fields } from './fields.ts';
import { names } from './names.ts';
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
  granularity: 'secret-path',
  templates: {
    'secret-path': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}',
    'secret-key': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}/{{ .SecretKey }}',
  },
  names,
  tags,
  // "Maximum size of a secret version payload: 64 KiB": https://cloud.google.com/secret-manager/quotas
  valueBytesMax: 64 * 1024,
  // 600 writes and 600 reads per minute and project; a put is two of each at most: 50 + 60 × 4 = 290.
  // https://cloud.google.com/secret-manager/quotas
  rate: { callsPerSecond: 4, burst: 50 },
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;
