import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { publishedRate } from '../frame/rate.ts';
import { fields, fixed } from './fields/fields.ts';
import { isSameObject, isSameVersion } from './look/receipt.ts';
import { names, tags } from './names.ts';
import { relations, validate } from './validate.ts';

export type { Connection } from './fields/fields.ts';

/** Secrets of AWS Secrets Manager in one account and region. */
export const definition = {
  type: 'cloud-a-sm',
  alias: 'aws-sm',
  title: 'AWS Secrets Manager',
  links: [
    { title: 'Permissions', url: 'https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access.html' },
    { title: 'Names', url: 'https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_CreateSecret.html' },
    { title: 'Quotas', url: 'https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html' },
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
  isSameObject,
  listing: 'versions',
  valueBytesMax: 65_536,
  // The service requires at least one character in SecretString.
  refusesEmpty: true,
  // CreateSecret, DeleteSecret, TagResource and PutSecretValue allow 50 calls a second each, shared by all callers in the
  // account and region: https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html
  rate: publishedRate(50, 1),
  rateAccount: ({ role_arn, access_key_id, region, endpoint }) => [
    // An access key does not show which account it belongs to, so two keys of one account count separately.
    role_arn?.split(':')[4] ?? access_key_id ?? 'environment',
    region ?? 'environment',
    baseUrl(endpoint ?? ''),
  ],
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;
