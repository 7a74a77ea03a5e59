import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { listMemberships, listOwnMemberships, showMembership } from './list.ts';
import { acceptInvitation } from './own.ts';
import { invite, removeMembership } from './write.ts';

const all = '/api/v2/organizations/:organization_name/organization-memberships';
const own = '/api/v2/organization-memberships';
const one = `${own}/:membership_id`;

/** Who belongs to organizations (reference, workspaces 2). */
export const membershipRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path: all, summary: 'Who belongs to an organization', run: (call) => listMemberships(parts, call) },
  { method: 'POST', path: all, summary: 'Invite the user of an address', run: (call) => invite(parts, call) },
  {
    method: 'GET',
    path: own,
    summary: 'What the caller belongs or is invited to',
    run: (call) => listOwnMemberships(parts, call),
  },
  { method: 'GET', path: one, summary: 'A membership', run: (call) => showMembership(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Take a user out of an organization, or decline an invitation',
    run: (call) => removeMembership(parts, call),
  },
  {
    method: 'POST',
    path: `${one}/actions/accept`,
    summary: 'Accept an invitation',
    run: (call) => acceptInvitation(parts, call),
  },
];
