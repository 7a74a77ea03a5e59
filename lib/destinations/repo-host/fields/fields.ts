import { z } from 'zod';
import { type Input, integer, text, textList } from '#path/fields.ts';
import { endpointField, tlsCaCertField } from '../../frame/fields/endpoint.ts';
import { form } from '../../frame/fields/form.ts';
import { routing } from '../../frame/fields/own.ts';

export const publicApi = 'https://api.github.com';

const locations = ['repository', 'organization'] as const;
export const visibilities = ['all', 'private', 'selected'] as const;

/** Clients send unset options as empty texts; an empty text and null both mean "not set". */
const given = (value: unknown) => (value === '' || value === null ? undefined : value);
const optionalText = () => z.preprocess(given, text().optional()).optional();

/** The server to call: fields of a connection, and of an app, which logs in only at that server. */
export const addressFields = {
  endpoint: z
    .preprocess(given, endpointField(publicApi))
    .optional()
    .meta({
      ...form('API endpoint', 'addresses'),
      description: `Base URL of the REST API, used unchanged. Default: ${publicApi}`,
      ...routing,
    }),
  enterprise_url: optionalText().meta({
    ...form('Server URL', 'addresses'),
    description: 'Address of a self-hosted server; the API is at /api/v3 of it unless the URL has an API path',
    ...routing,
  }),
};

/** Request fields of the type (docs/destinations, and the self-hosted form `enterprise_url`). */
export const fields = {
  secrets_location: z
    .preprocess(given, z.enum(locations).default('repository'))
    .default('repository')
    .meta({
      ...form('Secrets location', 'target'),
      description:
        'Location of the secrets: repository (or, with environment_name, one of its environments) or organization. Default: repository',
      immutable: true,
    }),
  access_token: optionalText().meta({
    ...form('Access token', 'credentials'),
    description: 'Personal access token with permission to write secrets. If an app is set, it takes precedence',
    sensitive: true,
  }),
  app_name: optionalText().meta({
    ...form('App', 'credentials'),
    description: 'Name of a configured app (sys/sync/github-apps); requires installation_id',
  }),
  installation_id: z
    .preprocess(given, integer().optional())
    .optional()
    .meta({
      ...form('Installation ID', 'credentials'),
      description: 'Installation of the app on the owner or organization; requires app_name',
    }),
  repository_owner: optionalText().meta({
    ...form('Repository owner', 'target'),
    description: 'User or organization that owns the repository',
    immutable: true,
  }),
  repository_name: optionalText().meta({
    ...form('Repository', 'target'),
    description: 'Name of the repository, without its owner',
    immutable: true,
  }),
  environment_name: optionalText().meta({
    ...form('Environment', 'target'),
    description: 'Environment of the repository. Default: secrets of the whole repository',
    immutable: true,
  }),
  organization_name: optionalText().meta({
    ...form('Organization', 'target'),
    description: 'Organization, for secrets_location organization',
    immutable: true,
  }),
  organization_visibility: z
    .preprocess(given, z.enum(visibilities).optional())
    .optional()
    .meta({
      ...form('Visibility', 'objects'),
      description: 'Repositories that see an organization secret: all, private or selected. Default: private',
    }),
  selected_repository_names: z
    .preprocess(given, textList().optional())
    .optional()
    .meta({
      ...form('Selected repositories', 'objects'),
      description: 'Repositories of the organization that see its secrets, for organization_visibility selected',
    }),
  ...addressFields,
  tls_ca_cert: tlsCaCertField().meta(routing),
};

export type Connection = Input<typeof fields>;
