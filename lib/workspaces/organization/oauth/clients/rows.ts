import { sql } from 'kysely';
import type { ApiRow } from '../../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { createClient } from './create.ts';
import { findClient, listClients, managedClient } from './find.ts';
import { addProjects, removeProjects } from './projects.ts';
import { updateClient } from './update.ts';
import { clientResource } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/oauth-clients';
const one = '/api/v2/oauth-clients/:oauth_client_id';
const projects = `${one}/relationships/projects`;

/** Connections to services that have repositories. Members see them; teams that manage VCS settings change them. */
export const oauthClientRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: ofOrganization,
    summary: 'OAuth clients of an organization',
    run: (call) => listClients(parts, call),
  },
  { method: 'POST', path: ofOrganization, summary: 'Make an OAuth client', run: (call) => createClient(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'An OAuth client',
    async run(call) {
      const { client, standing } = await findClient(parts.store, call);
      return { data: clientResource(standing, client) };
    },
  },
  { method: 'PATCH', path: one, summary: 'Change an OAuth client', run: (call) => updateClient(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Remove an OAuth client with its tokens',
    async run(call) {
      const { client } = await managedClient(parts.store, call);
      await sql`delete from ws_oauth_clients where id = ${client.id}`.execute(parts.store.db);
      return undefined;
    },
  },
  {
    method: 'POST',
    path: projects,
    summary: 'Let projects use an OAuth client',
    run: (call) => addProjects(parts, call),
  },
  {
    method: 'DELETE',
    path: projects,
    summary: 'Let projects use an OAuth client no more',
    run: (call) => removeProjects(parts, call),
  },
];
