import { z } from 'zod';
import { bool, type Input, text } from '../../path/fields.ts';
import { endpointField, tlsCaCertField } from '../frame/fields/endpoint.ts';
import { routing } from '../frame/fields/own.ts';
import { descriptionLengthMax } from './record.ts';

export const publicHost = 'https://app.terraform.io';

/** Ids and names go into the URL's path: nothing that a URL parser would take apart, and neither `.` nor `..`. */
const idPattern = /^(?!\.{1,2}$)[\w.-]{1,128}$/;

/** Clients send unset options as empty texts; both mean "not given". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);

const idField = (name: string, description: string) =>
  z
    .preprocess(
      given,
      text()
        .refine((value) => idPattern.test(value), `${name} takes 1 to 128 characters of A-Z a-z 0-9 _ . -`)
        .optional(),
    )
    .optional()
    .meta({ description, immutable: true });

/** Request fields of the type (docs/destinations). */
export const fields = {
  token: text()
    .refine((value) => value.trim() !== '', 'token must not be empty')
    // Node quotes a header value that it refuses, so such a token would end up in an error message.
    .refine((value) => /^[\x20-\x7e]*$/.test(value), 'token holds line breaks or other characters that no token has')
    .meta({
      description: 'Token of a user or a team that may read and write variables of the workspace',
      sensitive: true,
    }),
  workspace_id: idField('workspace_id', 'Id of the workspace that gets the variables: ws-...'),
  organization_name: idField('organization_name', 'Organization of workspace_name'),
  workspace_name: idField('workspace_name', 'Name of the workspace, instead of workspace_id; needs organization_name'),
  variable_set_id: idField('variable_set_id', 'Id of the variable set that gets the variables: varset-...'),
  category: z
    .preprocess(
      (value) => (value === 'terraform' ? 'engine' : given(value)),
      z.enum(['env', 'engine'], 'category takes env or engine').default('env'),
    )
    .default('env')
    .meta({
      description:
        'What the variables are: env (environment variables of runs) or engine (input variables; hosts call it terraform). Default: env',
    }),
  sensitive: bool().default(true).meta({
    description: 'The host never shows the values again. A variable that is sensitive stays so. Default: true',
  }),
  hcl: bool().default(false).meta({
    description: 'The values are HCL expressions and not plain texts; only for category engine. Default: false',
  }),
  description: z
    .preprocess(
      given,
      text()
        .refine(
          (value) => value.length <= descriptionLengthMax,
          `description takes at most ${descriptionLengthMax} characters: the host has 512, and our mark stands behind it`,
        )
        .optional(),
    )
    .optional()
    .meta({ description: 'Text for the description of each variable; our mark stands behind it' }),
  address: endpointField(publicHost, 'address').meta({
    description: `Address of the host; its API is below /api/v2. Default: ${publicHost}`,
    ...routing,
  }),
  endpoint: endpointField(publicHost).meta({
    description: 'Address that is called instead of address, for private endpoints. Default: address',
    ...routing,
  }),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
