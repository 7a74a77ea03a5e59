import { z } from 'zod';
import { type Input, integer, text, textMap } from '../../path/fields.ts';
import { endpointField, tlsCaCertField } from '../frame/fields/endpoint.ts';
import { own, routing } from '../frame/fields/own.ts';

/** Clients send unset options as empty texts; both mean "not given". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);

/** A text of a certain form. `rule` says the form; the value stays out of the message: it may be a key. */
const optionalText = (name: string, form: RegExp, rule: string) =>
  z
    .preprocess(
      given,
      text()
        .refine((value) => form.test(value), { error: `invalid ${name}: it takes ${rule}` })
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
      const rule = 'it takes regions such as eu-west-1, each with a KMS key or nothing';
      context.addIssue({ code: 'custom', message: `invalid replica_regions entry ${JSON.stringify(name)}: ${rule}` });
    }
  });

const windowDefaultDays = 7;
/** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html */
const recoveryWindow = () =>
  integer()
    .refine((days) => days === 0 || (days >= 7 && days <= 30), {
      error: 'invalid recovery_window_days: it takes 0 (deleted at once) or 7 to 30',
    })
    .default(windowDefaultDays);

/** Request fields of the type (docs/destinations), and how secrets are kept and deleted. */
export const fields = {
  access_key_id: optionalText('access_key_id', printable, 'the id of an access key').meta({
    description: 'Access key. Not given: credentials of the environment (variables, shared config, web identity).',
    sensitive: true,
  }),
  secret_access_key: optionalText('secret_access_key', printable, 'a secret access key').meta({
    description: 'Secret of the access key; goes with access_key_id.',
    sensitive: true,
  }),
  role_arn: optionalText('role_arn', role, 'arn:aws:iam::<account>:role/<name>').meta({
    description: 'Role to assume with temporary credentials. Its account is fixed.',
  }),
  external_id: optionalText('external_id', externalId, '2 to 1224 characters of A-Z a-z 0-9 _ + = , . @ : / -').meta({
    description: 'External id that the trust policy of role_arn asks for.',
  }),
  region: optionalText('region', region, 'a region such as us-east-1').meta({
    description: 'Region. Not given: that of the environment (AWS_REGION, or the shared config file).',
    immutable: true,
  }),
  recovery_window_days: z
    .preprocess(given, recoveryWindow())
    .default(windowDefaultDays)
    .meta({
      description:
        'Days for which a removed secret can be restored: 7 to 30, or 0 to delete it at once and for good. Default: 7',
      ...own,
    }),
  kms_key_id: optionalText('kms_key_id', printable, 'the id, ARN or alias of a KMS key').meta({
    description: "KMS key of the secrets. Not given: the account's default for new ones, no change for others.",
  }),
  replica_regions: z.preprocess(given, replicaRegions().optional()).optional().meta({
    description:
      'Regions to replicate the secrets to, each with its KMS key or nothing. Not given: replicas stay as is.',
  }),
  endpoint: endpointField('https://secretsmanager.<region>.amazonaws.com').meta(routing),
  sts_endpoint: endpointField('https://sts.<region>.amazonaws.com', 'sts_endpoint', 'STS, which role_arn needs').meta(
    routing,
  ),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
