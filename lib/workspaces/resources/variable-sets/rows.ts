import { identifiers } from '#path/jsonapi/input.ts';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { includes, paged, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow, DocumentReply } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { changeIn, createBody, createVariableSet, updateBody } from './change.ts';
import { listSets, readSet, type SetsOf } from './find.ts';
import { setVariableRows } from './variables.ts';
import { type Included, includable, includedIn, setOf } from './view.ts';
import { addLinks, deleteSet, type Link, removeLinks, updateSet } from './write.ts';

const inOrganization = '/api/v2/organizations/:organization_name/varsets';
const one = '/api/v2/varsets/:varset_id';
const include = includes(includable);
const listQuery = { page: paged(), q: textQuery('q', 'A part of the name'), include };

/** Variable sets, what they apply to, and their variables. */
export const variableSetRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...listRows(parts),
  ...oneRows(parts),
  ...linkRows(parts, 'workspaces'),
  ...linkRows(parts, 'projects'),
  ...setVariableRows(parts),
];

const listRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: inOrganization,
    summary: 'List the variable sets of an organization',
    needs: { organization: 'member' },
    query: listQuery,
    replies: { 200: ['varsets'] },
    run: ({ found, query }) => list(parts, found, 'organization', query),
  }),
  ...(['varsets', 'applicable-varsets'] as const).map((name) =>
    operation({
      method: 'GET',
      path: `/api/v2/workspaces/:workspace_id/${name}`,
      summary: `List the variable sets that apply to a workspace${name === 'varsets' ? '' : ', by the older name'}`,
      needs: { workspace: 'read-variables' },
      query: listQuery,
      replies: { 200: ['varsets'] },
      run: ({ found: { workspace, standing }, query }) =>
        list(parts, standing, { workspaceId: workspace.id, projectId: workspace.project_id }, query),
    }),
  ),
  operation({
    method: 'GET',
    path: '/api/v2/projects/:project_id/varsets',
    summary: 'List the variable sets of a project',
    needs: { organization: 'member' },
    query: listQuery,
    replies: { 200: ['varsets'] },
    run: ({ found, parameters, query }) => list(parts, found, { projectId: parameters.project_id }, query),
  }),
  operation({
    method: 'POST',
    path: inOrganization,
    summary: 'Create a variable set',
    needs: { organization: 'manage-workspaces-and-projects' },
    body: createBody,
    replies: { 201: 'varsets' },
    run: ({ found, body }) => createVariableSet(parts, found, body),
  }),
];

const oneRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a variable set',
    needs: { 'variable-set': 'read' },
    query: { include },
    replies: { 200: 'varsets' },
    run: async ({ found, query }) => {
      const set = await readSet(parts.store.db, found.id);
      return { data: setOf(set), ...(await includedIn(parts, query.include, [set])) };
    },
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a variable set',
    needs: { 'variable-set': 'manage' },
    query: { include },
    body: updateBody,
    replies: { 200: 'varsets' },
    run: async ({ found, query, body }) => {
      const set = await updateSet(parts.store, found.id, changeIn(body));
      return { data: setOf(set), ...(await includedIn(parts, query.include, [set])) };
    },
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a variable set with its variables',
    needs: { 'variable-set': 'manage' },
    replies: { 204: null },
    run: async ({ found }) => {
      await deleteSet(parts.store.db, found.id);
      return undefined;
    },
  }),
];

const linkRows = ({ store }: WorkspaceParts, link: Link): readonly ApiRow[] =>
  [
    { method: 'POST', summary: `Apply a variable set to ${link}`, change: addLinks } as const,
    { method: 'DELETE', summary: `Stop applying a variable set to ${link}`, change: removeLinks } as const,
  ].map(({ method, summary, change }) =>
    operation({
      method,
      path: `${one}/relationships/${link}`,
      summary,
      needs: { 'variable-set': 'manage' },
      body: identifiers(link),
      replies: { 204: null },
      run: async ({ found, body }) => {
        await change(store.db, found.id, link, [...new Set(body)]);
        return undefined;
      },
    }),
  );

interface ListQuery {
  readonly page: Page;
  readonly q: string | null;
  readonly include: Included;
}

async function list(
  parts: WorkspaceParts,
  standing: Standing,
  of: SetsOf,
  { page, q, include: asked }: ListQuery,
): Promise<DocumentReply> {
  const { sets, totalCount } = await listSets(parts.store, standing, of, { name: q ?? undefined, page });
  return { data: sets.map(setOf), page: pageInfo(page, totalCount), ...(await includedIn(parts, asked, sets)) };
}
