import { type RawBuilder, sql } from 'kysely';
import { type Resource, timeText, toMany, toOne } from '../../../../path/jsonapi/resource.ts';
import type { Standing } from '../../../access/standing.ts';
import { type Provider, providers } from '../providers.ts';

/** What of a client is no secret, by the names of the API. */
export interface ClientSettings {
  readonly name: string | null;
  readonly key: string | null;
  readonly 'rsa-public-key': string | null;
  readonly 'organization-scoped': boolean;
  readonly 'service-provider': Provider;
  readonly 'http-url': string;
  readonly 'api-url': string;
}

export interface ClientRow {
  readonly id: string;
  readonly organization_id: string;
  readonly settings: ClientSettings;
  readonly created_at: Date;
  readonly tokens: readonly string[];
  readonly projects: readonly string[];
}

/** Columns of the client `c`. */
export const clientColumns: RawBuilder<unknown> = sql`c.id, c.organization_id, c.settings, c.created_at,
  array(select t.id from ws_oauth_tokens t where t.client_id = c.id order by t.created_at, t.id) as tokens,
  array(select p.project_id from ws_oauth_client_projects p where p.client_id = c.id order by 1) as projects`;

/** A connection to a service that has repositories, without its secrets. */
export const clientResource = ({ organization }: Standing, row: ClientRow): Resource => ({
  ...{ id: row.id, type: 'oauth-clients' },
  attributes: {
    ...row.settings,
    'created-at': timeText(row.created_at),
    // Tokens are given with the client: nobody is sent to the provider to allow it.
    ...{ 'callback-url': null, 'connect-path': null },
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
