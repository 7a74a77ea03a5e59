import type { ApiRow } from '../../../path/jsonapi/row.ts';
import { standingIn } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { createOrganization } from './create.ts';
import { organizationDocument } from './document.ts';
import { showEntitlements } from './entitlements.ts';
import { listOrganizations } from './list.ts';
import { removeOrganization } from './remove.ts';
import { updateOrganization } from './update.ts';

const all = '/api/v2/organizations';
const one = `${all}/:organization_name`;

/** Organizations (reference, workspaces 2). */
export const organizationRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: all,
    summary: 'The organizations of the caller',
    run: (call) => listOrganizations(parts, call),
  },
  { method: 'POST', path: all, summary: 'Make an organization', run: (call) => createOrganization(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'An organization',
    run: async ({ caller, parameters }) => {
      const standing = standingIn(parts.store, caller, parameters['organization_name'] ?? '');
      return { data: await organizationDocument(parts.store, standing) };
    },
  },
  { method: 'PATCH', path: one, summary: 'Change an organization', run: (call) => updateOrganization(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Remove an organization with all it has',
    run: (call) => removeOrganization(parts, call),
  },
  {
    method: 'GET',
    path: `${one}/entitlement-set`,
    summary: 'What an organization may use',
    run: (call) => showEntitlements(parts, call),
  },
];
