import type { DestinationDefinition } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { nineTenthsOf } from '../frame/rate.ts';
import { fields } from './fields.ts';
import { fixed } from './fixed.ts';
import { names } from './names.ts';
import { isSameVersion } from './receipt.ts';
import { tags } from './tags.ts';
import { validate } from './validate.ts';

export type { Connection } from './fields.ts';

/** Secrets of AWS Secrets Manager in one account and region. */
export const definition = {
  type: 'cloud-a-sm',
  alias: 'aws-sm',
  title: 'AWS Secrets Manager',
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
  valueBytesMax: 65_536,
  // SecretString has at least one character: the service's own rule.
  refusesEmpty: true,
  // CreateSecret, DeleteSecret, TagResource and PutSecretValue have 50 calls a second each, for everybody in the account
  // and region: https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html
  rate: nineTenthsOf(50, 1),
  rateAccount: ({ role_arn, access_key_id, region, endpoint }) => [
    // Two access keys of one account do not tell that they are.
    role_arn?.split(':')[4] ?? access_key_id ?? 'environment',
    region ?? 'environment',
    baseUrl(endpoint ?? ''),
  ],
  concurrencyMax: 8,
} satisfies DestinationDefinition<typeof fields>;
