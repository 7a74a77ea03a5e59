import { z } from 'zod';
import { bool, type Input, text } from '#path/fields.ts';
import { baseUrl, endpointField, tlsCaCertField } from '../../frame/fields/endpoint.ts';
import { form } from '../../frame/fields/form.ts';
import { routing } from '../../frame/fields/own.ts';
import { descriptionLengthMax } from './record.ts';

export const publicHost = 'https://app.terraform.io';

/** Ids and names become segments of the URL's path, so they have no characters of URL syntax and are neither `.` nor `..`. */
const idPattern = /^(?!\.{1,2}$)[\w.-]{1,128}$/;

/** Clients send unset options as empty texts; an empty text and null both mean "not set". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);

const idField = (name: string, label: string, description: string) =>
  z
    .preprocess(
      given,
      text()
        .refine((value) => idPattern.test(value), `${name} must be 1 to 128 characters of A-Z a-z 0-9 _ . -`)
        .optional(),
    )
    .optional()
    .meta({ description, ...form(label, 'target'), immutable: true });

/** Request fields of the type (docs/destinations). */
export const fields = {
  token: text()
    .refine((value) => value.trim() !== '', 'token must not be empty')
    // Node quotes a header value that it refuses, so such a token would appear in an error message.
    .refine(
      (value) => /^[\x20-\x7e]*$/.test(value),
      'token has line breaks or other characters that are not valid in a token',
    )
    .meta({
      ...form('Token', 'credentials'),
      description: 'Token of a user or a team with permission to read and write variables of the workspace',
      sensitive: true,
    }),
  workspace_id: idField('workspace_id', 'Workspace ID', 'Id of the workspace that gets the variables: ws-...'),
  organization_name: idField('organization_name', 'Organization', 'Organization of workspace_name'),
  workspace_name: idField(
    'workspace_name',
    'Workspace name',
    'Name of the workspace, instead of workspace_id; requires organization_name',
  ),
  variable_set_id: idField(
    'variable_set_id',
    'Variable set ID',
    'Id of the variable set that gets the variables: varset-...',
  ),
  category: z
    .preprocess(
      (value) => (value === 'terraform' ? 'engine' : given(value)),
      z.enum(['env', 'engine'], 'category must be env or engine').default('env'),
    )
    .default('env')
    .meta({
      ...form('Category', 'objects'),
      description:
        'Category of the variables: env (environment variables of runs) or engine (input variables, called terraform by hosts). Default: env',
    }),
  sensitive: bool()
    .default(true)
    .meta({
      ...form('Sensitive', 'objects'),
      description: 'Whether the host hides the values permanently. A sensitive variable stays sensitive. Default: true',
    }),
  hcl: bool()
    .default(false)
    .meta({
      ...form('HCL', 'objects'),
      description:
        'Whether the values are HCL expressions instead of plain texts; only for category engine. Default: false',
    }),
  description: z
    .preprocess(
      given,
      text()
        .refine(
          (value) => value.length <= descriptionLengthMax,
          `description must have at most ${descriptionLengthMax} characters: the host allows 512, and our mark is appended`,
        )
        .optional(),
    )
    .optional()
    .meta({
      ...form('Description', 'objects'),
      description: 'Text for the description of each variable; our mark is appended',
    }),
  address: endpointField(publicHost, 'address').meta({
    ...form('Address', 'addresses'),
    description: `Address of the host, whose API is at /api/v2. Default: ${publicHost}`,
    ...routing,
  }),
  endpoint: endpointField(publicHost).meta({
    description: 'Address to call instead of address, for private endpoints. Default: address',
    ...routing,
  }),
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;

const apiPath = '/api/v2';

/** Base URL of the API, without a trailing slash. */
export function apiBase({ address, endpoint }: Pick<Connection, 'address' | 'endpoint'>): string {
  const base = baseUrl(endpoint ?? address ?? publicHost);
  return base.endsWith(apiPath) ? base : `${base}${apiPath}`;
}
