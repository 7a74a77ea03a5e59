import { z } from 'zod';
import { type Input, integer, text, textList } from '../../path/fields.ts';
import { endpointField, tlsCaCertField } from '../frame/fields/endpoint.ts';
import { routing } from '../frame/fields/own.ts';

export const publicApi = 'https://api.github.com';

const locations = ['repository', 'organization'] as const;
export const visibilities = ['all', 'private', 'selected'] as const;

/** Clients send unset options as empty texts; both mean "not given". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);
const optionalText = () => z.preprocess(given, text().optional()).optional();

/** Which server is called: fields of a connection, and of an app, which signs in at that server only. */
export const addressFields = {
  endpoint: z
    .preprocess(given, endpointField(publicApi))
    .optional()
    .meta({
      description: `Base URL of the REST API itself, used as it is. Default: ${publicApi}`,
      ...routing,
    }),
  enterprise_url: optionalText().meta({
    description: 'Address of a self-hosted server; the API is taken to be at /api/v3 unless the URL has an API path.',
    ...routing,
  }),
};

/** Request fields of the type (docs/destinations, and the self-hosted form `enterprise_url`). */
export const fields = {
  secrets_location: z.preprocess(given, z.enum(locations).default('repository')).default('repository').meta({
    description:
      'Where the secrets live: repository (with environment_name: one of its environments) or organization. Default: repository',
    immutable: true,
  }),
  access_token: optionalText().meta({
    description: 'Personal access token that may write secrets. An app, when given, takes precedence.',
    sensitive: true,
  }),
  app_name: optionalText().meta({
    description: 'Name of a configured app (sys/sync/github-apps); needs installation_id.',
  }),
  installation_id: z
    .preprocess(given, integer().optional())
    .optional()
    .meta({ description: 'Installation of the app on the owner or organization; needs app_name.' }),
  repository_owner: optionalText().meta({
    description: 'User or organization that owns the repository.',
    immutable: true,
  }),
  repository_name: optionalText().meta({ description: 'Name of the repository, without its owner.', immutable: true }),
  environment_name: optionalText().meta({
    description: 'Environment of the repository. Not given: secrets of the whole repository.',
    immutable: true,
  }),
  organization_name: optionalText().meta({
    description: 'Organization, for secrets_location organization.',
    immutable: true,
  }),
  organization_visibility: z.preprocess(given, z.enum(visibilities).optional()).optional().meta({
    description: 'Which repositories see an organization secret: all, private (default) or selected.',
  }),
  selected_repository_names: z.preprocess(given, textList().optional()).optional().meta({
    description: 'Repositories of the organization that see its secrets, for organization_visibility selected.',
  }),
  ...addressFields,
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
