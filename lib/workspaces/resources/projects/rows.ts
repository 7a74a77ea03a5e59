import { sql } from 'kysely';
import { forbidden, unprocessable } from '#path/jsonapi/error.ts';
import { identifiers } from '#path/jsonapi/input.ts';
import { includes, paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundProject } from '../../access/project.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { projectBody } from './change.ts';
import { createProject } from './create.ts';
import { known, withIncluded } from './include.ts';
import { filters, listProjects, orderOf } from './list.ts';
import { moveWorkspaces } from './move.ts';
import { projectDocument } from './read.ts';
import { updateProject } from './update.ts';

const all = '/api/v2/organizations/:organization_name/projects';
const one = '/api/v2/projects/:project_id';

/** Projects. */
export const projectRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the projects of an organization',
    needs: { organization: 'member' },
    query: {
      include: includes(known),
      page: paged(),
      order: readBy(['sort'], orderOf),
      filter: readBy(
        [
          'q',
          'filter[names]',
          'filter[permissions][create-workspace]',
          { name: 'filter[tagged][0][key]', description: 'A tag that the projects have; more with other numbers' },
          { name: 'filter[tagged][0][value]', description: 'The value of the tag; any value without it' },
        ],
        filters,
      ),
    },
    replies: { 200: ['projects'] },
    run: ({ found, query }) => listProjects(store, found, query),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create a project',
    needs: { organization: 'manage-projects' },
    body: projectBody,
    replies: { 201: 'projects' },
    run: ({ found, body }) => createProject(store, found, body),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a project',
    needs: { project: 'read' },
    query: { include: includes(known) },
    replies: { 200: 'projects' },
    run: async ({ found, query }) => withIncluded(store, query.include, await projectDocument(store, found)),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a project',
    needs: { project: 'update' },
    body: projectBody,
    replies: { 200: 'projects' },
    run: ({ found, body }) => updateProject(store, found, body),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a project without workspaces',
    needs: { project: 'remove' },
    replies: { 204: null, 403: 'The default project cannot be deleted', 422: 'The project has workspaces' },
    run: ({ found }) => removeProject(store, found),
  }),
  operation({
    method: 'POST',
    path: `${one}/relationships/workspaces`,
    summary: 'Move workspaces into a project',
    needs: { project: 'move-workspaces' },
    body: identifiers('workspaces'),
    replies: { 204: null, 403: 'The caller may not move workspaces into or out of one of the projects' },
    run: ({ found, body }) => moveWorkspaces(store, found, body),
  }),
];

/** Deletes a project without workspaces. */
async function removeProject(store: Store, { project, standing }: FoundProject): Promise<undefined> {
  if (project.id === standing.organization.default_project_id)
    throw forbidden('The default project of an organization cannot be deleted.');
  await store.transaction(async (tx) => {
    // A request that creates a workspace in it meanwhile waits, and then does not find the project.
    await sql`select 1 from ws_projects where id = ${project.id} for update`.execute(tx);
    const { rows } = await sql`select 1 from ws_workspaces where project_id = ${project.id} limit 1`.execute(tx);
    if (rows.length > 0) throw unprocessable('A project cannot be deleted while it has workspaces.');
    await sql`delete from ws_projects where id = ${project.id}`.execute(tx);
  });
}
