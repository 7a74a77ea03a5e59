import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { type Resource, timeText, toMany, toOne } from '#path/jsonapi/resource.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { arrayOf, jsonOf, text } from '#store/sql/kinds.ts';
import { wsOauthClientsTable } from '#store/tables/connections.ts';
import type { Standing } from '../../access/standing.ts';
import { providerNames, providers } from './fields.ts';

/** Settings of a client other than its secrets, by their API names. */
export type ClientSettings = z.infer<typeof clientSettings>;

export const clientSettings = z
  .strictObject({
    name: z.string().nullable(),
    key: z.string().nullable(),
    'rsa-public-key': z.string().nullable(),
    'organization-scoped': z.boolean(),
    'service-provider': z.enum(providerNames),
    'http-url': z.string(),
    'api-url': z.string(),
  })
  .readonly();

export type ClientRow = RowOf<typeof clientRowColumns>;

export const clientRowColumns = {
  ...pick(wsOauthClientsTable, 'id', 'organization_id', 'created_at'),
  settings: jsonOf(clientSettings),
  tokens: arrayOf(text),
  projects: arrayOf(text),
};

/** Columns of the client `c`. */
export const clientColumns: RawBuilder<unknown> = sql`c.id, c.organization_id, c.settings, c.created_at,
  array(select t.id from ws_oauth_tokens t where t.client_id = c.id order by t.created_at, t.id) as tokens,
  array(select p.project_id from ws_oauth_client_projects p where p.client_id = c.id order by 1) as projects`;

/** The document of a client, without its secrets. */
export const clientResource = ({ organization }: Standing, row: ClientRow): Resource => ({
  id: row.id,
  type: 'oauth-clients',
  attributes: {
    ...row.settings,
    'created-at': timeText(row.created_at),
    // Tokens come with the client, so no user is redirected to the provider.
    'callback-url': null,
    'connect-path': null,
    'service-provider-display-name': providers[row.settings['service-provider']],
  },
  relationships: {
    organization: toOne('organizations', organization.name),
    projects: toMany('projects', row.projects),
    'oauth-tokens': {
      ...toMany('oauth-tokens', row.tokens),
      links: { related: `/api/v2/oauth-clients/${row.id}/oauth-tokens` },
    },
    'agent-pool': toOne('agent-pools', null),
  },
  links: { self: `/api/v2/oauth-clients/${row.id}` },
});
