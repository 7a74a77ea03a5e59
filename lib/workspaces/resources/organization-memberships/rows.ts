import { document } from '#path/jsonapi/input.ts';
import { includes, paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { filters, known, listMemberships, listOwnMemberships, showMembership } from './list.ts';
import { acceptInvitation } from './own.ts';
import { invitationFields, invite, removeMembership } from './write.ts';

const all = '/api/v2/organizations/:organization_name/organization-memberships';
const own = '/api/v2/organization-memberships';
const one = '/api/v2/organization-memberships/:membership_id';
const type = 'organization-memberships';

/** Memberships of users in organizations. */
export const membershipRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the memberships of an organization',
    needs: { organization: 'member' },
    query: {
      include: includes(known),
      page: paged(),
      filter: readBy(['q', 'filter[email]', 'filter[status]'], filters),
    },
    replies: { 200: [type] },
    run: ({ found, query }) => listMemberships(store, found, query),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Invite a user by address',
    needs: { organization: 'manage-membership' },
    body: document({ type, attributes: invitationFields, relationships: { teams: ['teams'] } }),
    replies: { 201: type },
    run: ({ found, body }) => invite(store, found, body),
  }),
  operation({
    method: 'GET',
    path: own,
    summary: 'List the memberships and invitations of the caller',
    needs: { caller: 'user' },
    query: { page: paged() },
    replies: { 200: [type] },
    run: ({ caller, query }) => listOwnMemberships(store, caller, query.page),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a membership',
    needs: { membership: 'read' },
    query: { include: includes(known) },
    replies: { 200: type },
    run: ({ found, query }) => showMembership(store, found, query.include),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Remove a user from an organization, or decline an invitation',
    needs: { membership: 'remove' },
    replies: { 204: null, 403: 'Only owners may remove owners' },
    run: ({ found, caller }) => removeMembership(store, found, caller),
  }),
  operation({
    method: 'POST',
    path: `${one}/actions/accept`,
    summary: 'Accept an invitation',
    needs: { membership: 'accept' },
    replies: { 200: type, 403: 'The user of the root token cannot join organizations', 409: 'No user has the address' },
    run: ({ found }) => acceptInvitation(store, found.id),
  }),
];
