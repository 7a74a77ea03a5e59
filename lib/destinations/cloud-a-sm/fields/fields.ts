import { z } from 'zod';
import { type Input, integer, text, textMap } from '#path/fields.ts';
import { endpointField, tlsCaCertField } from '../../frame/fields/endpoint.ts';
import { form } from '../../frame/fields/form.ts';
import { own, routing } from '../../frame/fields/own.ts';

/** Clients send unset options as empty texts; an empty text and null both mean "not set". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);

/** A text of the given form, which `rule` describes in the message. The value stays out of it: it may be a key. */
const optionalText = (name: string, form: RegExp, rule: string) =>
  z
    .preprocess(
      given,
      text()
        .refine((value) => form.test(value), { error: `invalid ${name}: must be ${rule}` })
        .optional(),
    )
    .optional();

const printable = /^[\x21-\x7e]{1,2048}$/;
const region = /^([a-z]+-)+\d+$/;
const role = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\x21-\x7e]{1,2000}$/;
// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
const externalId = /^[\w+=,.@:/-]{2,1224}$/;

const replicaRegions = () =>
  textMap().superRefine((regions, context) => {
    for (const [name, key] of Object.entries(regions)) {
      if (region.test(name) && (key === '' || printable.test(key))) continue;
      const rule = 'must be a region such as eu-west-1, with a KMS key or an empty text';
      context.addIssue({ code: 'custom', message: `invalid replica_regions entry ${JSON.stringify(name)}: ${rule}` });
    }
  });

const windowDefaultDays = 7;
/** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html */
const recoveryWindow = () =>
  integer()
    .refine((days) => days === 0 || (days >= 7 && days <= 30), {
      error: 'invalid recovery_window_days: must be 0 (deleted at once) or 7 to 30',
    })
    .default(windowDefaultDays);

/** Request fields of the type (docs/destinations): the connection, and how secrets are stored and deleted. */
export const fields = {
  access_key_id: optionalText('access_key_id', printable, 'the id of an access key').meta({
    ...form('Access key ID', 'credentials'),
    description: 'Access key. Default: credentials of the environment (variables, shared config, web identity)',
    sensitive: true,
  }),
  secret_access_key: optionalText('secret_access_key', printable, 'a secret access key').meta({
    ...form('Secret access key', 'credentials'),
    description: 'Secret of the access key; required with access_key_id',
    sensitive: true,
  }),
  role_arn: optionalText('role_arn', role, 'arn:aws:iam::<account>:role/<name>').meta({
    ...form('Role ARN', 'credentials'),
    description: 'Role to assume with temporary credentials. Its account cannot be changed later',
  }),
  external_id: optionalText('external_id', externalId, '2 to 1224 characters of A-Z a-z 0-9 _ + = , . @ : / -').meta({
    ...form('External ID', 'credentials'),
    description: 'External id that the trust policy of role_arn requires',
  }),
  region: optionalText('region', region, 'a region such as us-east-1').meta({
    ...form('Region', 'target'),
    description: 'Region. Default: that of the environment (AWS_REGION, or the shared config file)',
    immutable: true,
  }),
  recovery_window_days: z
    .preprocess(given, recoveryWindow())
    .default(windowDefaultDays)
    .meta({
      ...form('Recovery window in days', 'objects'),
      description:
        'Days during which a removed secret can be restored: 7 to 30, or 0 to delete it at once and permanently. Default: 7',
      ...own,
    }),
  kms_key_id: optionalText('kms_key_id', printable, 'the id, ARN or alias of a KMS key').meta({
    ...form('KMS key', 'objects'),
    description:
      "KMS key of the secrets. Default: the account's default key for new secrets, no change for existing ones",
  }),
  replica_regions: z
    .preprocess(given, replicaRegions().optional())
    .optional()
    .meta({
      ...form('Replica regions', 'objects'),
      description:
        'Regions to replicate the secrets to, each with its KMS key or an empty text. Default: replicas stay as they are',
    }),
  endpoint: endpointField('https://secretsmanager.<region>.amazonaws.com').meta(routing),
  sts_endpoint: endpointField(
    'https://sts.<region>.amazonaws.com',
    'sts_endpoint',
    'STS, which role_arn needs',
    'STS endpoint',
  ).meta(routing),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;

/** Another account has other secrets. Without a role, only the credentials determine the account. */
export function fixed({ role_arn }: Connection): Readonly<Record<string, unknown>> {
  const account = role_arn?.split(':')[4];
  return account === undefined ? {} : { 'the account of role_arn': account };
}
