import { document } from '#path/jsonapi/input.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { adminFields } from '../users/fields.ts';
import { adminDocument, listUsers, searchParameters, userCondition } from './read.ts';
import { listFeatureSets, showSubscription } from './subscription.ts';
import { createUser, removeUser, setFlag, updateUser } from './write.ts';

const all = '/api/v2/admin/users';
const one = `${all}/:user_id` as const;
const needs = { site: 'admin' } as const;
const body = document({ type: 'users', attributes: adminFields });

/** Operations of site administrators. Other callers get 404. */
export const adminRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...userRows(parts),
  ...actionRows(parts),
  operation({
    method: 'GET',
    path: '/api/v2/admin/feature-sets',
    summary: 'List the feature sets of organizations',
    needs,
    replies: { 200: ['feature-sets'] },
    run: async () => listFeatureSets(),
  }),
  operation({
    method: 'POST',
    path: '/api/v2/admin/organizations/:organization_name/subscription',
    summary: 'Set the feature set of an organization',
    needs,
    body: document({ relationships: { 'feature-set': 'feature-sets' } }),
    replies: { 200: 'subscriptions' },
    run: ({ caller, parameters }) => showSubscription(parts.store, caller, parameters.organization_name),
  }),
];

const userRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List all users',
    needs,
    query: { page: paged(), matching: readBy(searchParameters, userCondition) },
    replies: { 200: ['users'] },
    run: ({ query }) => listUsers(store, query.matching, query.page),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create a user',
    needs,
    body,
    replies: { 201: 'users' },
    run: ({ body }) => createUser(store, body.attributes),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a user as administrators see it',
    needs,
    replies: { 200: 'users' },
    run: ({ parameters }) => adminDocument(store, parameters.user_id),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a user',
    needs,
    body,
    replies: { 200: 'users', 403: 'It is the user of the root token' },
    run: ({ parameters, body }) => updateUser(store, parameters.user_id, body.attributes),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a user',
    needs,
    replies: { 204: null, 403: 'It is the user of the root token' },
    run: ({ parameters }) => removeUser(store, parameters.user_id),
  }),
];

const actions = {
  suspend: { summary: 'Suspend a user', change: { suspended: true } },
  unsuspend: { summary: 'End the suspension of a user', change: { suspended: false } },
  grant_admin: { summary: 'Make a user a site administrator', change: { site_admin: true } },
  revoke_admin: { summary: 'Revoke site administration from a user', change: { site_admin: false } },
} as const;

const actionRows = ({ store }: WorkspaceParts): readonly ApiRow[] =>
  Object.entries(actions).map(([name, { summary, change }]) =>
    operation({
      method: 'POST',
      path: `${one}/actions/${name}`,
      summary,
      needs,
      replies: { 200: 'users', 403: 'It is the user of the root token' },
      run: ({ parameters }) => setFlag(store, parameters.user_id, change),
    }),
  );
