import { identifiers } from '#path/jsonapi/input.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { includesOf } from '../workspace-includes/includes.ts';
import { add, changeConsumers, remove, replace } from './change.ts';
import { listConsumers } from './list.ts';

const path = '/api/v2/workspaces/:workspace_id/relationships/remote-state-consumers';

/** Only the configured consumers, also where the state is shared with the organization or the project. */
const isConfigured = readBy(['show_only_configured'], (query) => query.get('show_only_configured') === 'true');

/** Workspaces that may read the state of another workspace. */
export const consumerRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path,
    summary: 'List the remote state consumers of a workspace',
    needs: { workspace: 'read' },
    query: { page: paged(), isConfigured, include: readBy(['include'], includesOf) },
    replies: { 200: ['workspaces'] },
    run: ({ found, query, origin }) => listConsumers(parts, found, { ...query, origin }),
  }),
  ...changes.map(({ method, summary, right, change }) =>
    operation({
      method,
      path,
      summary,
      needs: { workspace: right },
      body: identifiers('workspaces'),
      replies: { 204: null },
      run: ({ found, body }) => changeConsumers(parts.store, found, change, body),
    }),
  ),
];

const changes = [
  { method: 'POST', summary: 'Add remote state consumers to a workspace', right: 'admin', change: add },
  {
    method: 'PATCH',
    summary: 'Replace the remote state consumers of a workspace',
    right: 'manage-all',
    change: replace,
  },
  { method: 'DELETE', summary: 'Remove remote state consumers from a workspace', right: 'admin', change: remove },
] as const;
