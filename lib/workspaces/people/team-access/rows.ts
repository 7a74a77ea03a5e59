import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type Kind, onProjects, onWorkspaces } from './kinds.ts';
import { findGrant, grantResource, listGrants } from './read.ts';
import { createGrant, removeGrant, updateGrant } from './write.ts';

/** What teams may do with workspaces and projects (reference, workspaces 2 "team access"). */
export const teamAccessRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...rowsOf(parts, onWorkspaces),
  ...rowsOf(parts, onProjects),
];

function rowsOf(parts: WorkspaceParts, kind: Kind): readonly ApiRow[] {
  const all = `/api/v2/${kind.type}`;
  const one = `${all}/:grant_id`;
  const on = `a ${kind.relation}`;
  return [
    { method: 'GET', path: all, summary: `Who has access to ${on}`, run: (call) => listGrants(parts, call, kind) },
    {
      method: 'POST',
      path: all,
      summary: `Give a team access to ${on}`,
      run: (call) => createGrant(parts, call, kind),
    },
    {
      method: 'GET',
      path: one,
      summary: `The access of a team to ${on}`,
      run: async ({ caller, parameters }) => {
        const { grant } = await findGrant(parts.store, caller, kind, parameters['grant_id'] ?? '');
        return { data: grantResource(kind, grant) };
      },
    },
    {
      method: 'PATCH',
      path: one,
      summary: `Change the access of a team to ${on}`,
      run: (call) => updateGrant(parts, call, kind),
    },
    {
      method: 'DELETE',
      path: one,
      summary: `Take the access of a team to ${on} back`,
      run: (call) => removeGrant(parts, call, kind),
    },
  ];
}
