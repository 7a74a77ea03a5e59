import { sql } from 'kysely';
import { document, identifiers } from '#path/jsonapi/input.ts';
import { paged } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createClient } from './create.ts';
import { createFields, updateFields } from './fields.ts';
import { listClients, readClient } from './find.ts';
import { addProjects, removeProjects } from './projects.ts';
import { updateClient } from './update.ts';
import { clientResource } from './view.ts';
import { makeWebhook } from './webhook.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/oauth-clients';
const one = '/api/v2/oauth-clients/:oauth_client_id';
const projects = `${one}/relationships/projects` as const;

/** Connections to repository hosts. Members may read them; teams with the right to manage VCS settings may change them. */
export const oauthClientRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...clientRows(parts),
  ...webhookRows(parts),
];

const webhookRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: `${one}/actions/create-webhook`,
    summary: 'Give an OAuth client a webhook with a new secret',
    needs: { organization: 'manage-vcs-settings' },
    replies: { 201: 'webhooks' },
    run: ({ parameters, origin }) => makeWebhook(store, parameters.oauth_client_id, origin),
  }),
];

const clientRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the OAuth clients of an organization',
    needs: { organization: 'member' },
    query: { page: paged() },
    replies: { 200: ['oauth-clients'] },
    run: ({ found, query }) => listClients(store, found, query.page),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create an OAuth client',
    needs: { organization: 'manage-vcs-settings' },
    body: document({ type: 'oauth-clients', attributes: createFields, relationships: { projects: ['projects'] } }),
    replies: { 201: 'oauth-clients' },
    run: ({ found, body }) => createClient(store, found, body),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read an OAuth client',
    needs: { organization: 'member' },
    replies: { 200: 'oauth-clients' },
    run: async ({ found, parameters }) => ({
      data: clientResource(found, await readClient(store, parameters.oauth_client_id)),
    }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update an OAuth client',
    needs: { organization: 'manage-vcs-settings' },
    body: document({ type: 'oauth-clients', attributes: updateFields }),
    replies: { 200: 'oauth-clients' },
    run: ({ found, parameters, body }) => updateClient(store, found, parameters.oauth_client_id, body.attributes),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete an OAuth client with its tokens',
    needs: { organization: 'manage-vcs-settings' },
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_oauth_clients where id = ${parameters.oauth_client_id}`.execute(store.db);
      return undefined;
    },
  }),
  operation({
    method: 'POST',
    path: projects,
    summary: 'Let projects use an OAuth client',
    needs: { organization: 'manage-vcs-settings' },
    body: identifiers('projects'),
    replies: { 204: null },
    run: ({ found, parameters, body }) => addProjects(store, found, parameters.oauth_client_id, body),
  }),
  operation({
    method: 'DELETE',
    path: projects,
    summary: 'Stop projects from using an OAuth client',
    needs: { organization: 'manage-vcs-settings' },
    body: identifiers('projects'),
    replies: { 204: null },
    run: ({ parameters, body }) => removeProjects(store, parameters.oauth_client_id, body),
  }),
];
