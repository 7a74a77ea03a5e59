import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { publishedRate } from '../frame/rate.ts';
import { fields } from './fields/fields.ts';
import { names, tags } from './names.ts';
import { validate } from './validate.ts';

export type { Connection } from './fields/fields.ts';

/** Secrets of one key vault. Each put makes a new version, which is enabled; older versions stay in the vault. */
export const definition = {
  type: 'cloud-b-kv',
  alias: 'azure-kv',
  title: 'Azure Key Vault',
  links: [
    {
      title: 'Names, tags and values',
      url: 'https://learn.microsoft.com/azure/key-vault/general/about-keys-secrets-certificates',
    },
    { title: 'Limits', url: 'https://learn.microsoft.com/azure/key-vault/general/service-limits' },
  ],
  fields,
  validate,
  granularity: 'secret-path',
  templates: {
    'secret-path': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}',
    'secret-key': 'keyferry/{{ .MountAccessor }}/{{ .SecretPath }}/{{ .SecretKey }}',
  },
  names,
  tags,
  listing: 'times',
  // "25 KB": https://learn.microsoft.com/azure/key-vault/secrets/about-secrets. The service counts 25,600 bytes.
  valueBytesMax: 25 * 1024,
  // Per vault, 300 new versions and 4,000 calls of other kinds in 10 seconds:
  // https://learn.microsoft.com/azure/key-vault/general/service-limits
  rate: publishedRate(300, 10),
  rateAccount: ({ key_vault_uri, endpoint }) => [
    URL.parse(key_vault_uri)?.origin ?? key_vault_uri,
    baseUrl(endpoint ?? ''),
  ],
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;
