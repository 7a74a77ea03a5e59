import { pagedIfAsked } from '#path/jsonapi/query.ts';
import type { Resource } from '#path/jsonapi/resource.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { policiesMax, policySetsMax } from '../../frame/policies.ts';
import { organizationBody } from './change.ts';
import { createOrganization } from './create.ts';
import { organizationDocument } from './document.ts';
import { listOrganizations, search } from './list.ts';
import { removeOrganization } from './remove.ts';
import { updateOrganization } from './update.ts';

const all = '/api/v2/organizations';
const one = '/api/v2/organizations/:organization_name';

/** Organizations. */
export const organizationRows = ({ store, opaProgram }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the organizations of the caller',
    needs: { caller: 'any' },
    query: { page: pagedIfAsked, searched: search },
    replies: { 200: ['organizations'] },
    run: ({ caller, query }) => listOrganizations(store, caller, query),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create an organization',
    needs: { caller: 'user' },
    body: organizationBody,
    replies: { 201: 'organizations' },
    run: ({ caller, body }) => createOrganization(store, caller, body),
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read an organization',
    needs: { organization: 'member' },
    replies: { 200: 'organizations' },
    run: async ({ found }) => ({ data: await organizationDocument(store, found) }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update an organization',
    needs: { organization: 'owner' },
    body: organizationBody,
    replies: { 200: 'organizations' },
    run: ({ found, body }) => updateOrganization(store, found, body),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete an organization with everything in it',
    needs: { organization: 'owner' },
    replies: { 204: null },
    run: ({ found, signal }) => removeOrganization(store, found.organization.id, signal),
  }),
  operation({
    method: 'GET',
    path: `${one}/entitlement-set`,
    summary: 'Read the entitlements of an organization',
    needs: { organization: 'entitlements' },
    replies: { 200: 'entitlement-sets' },
    run: async ({ found }) => ({ data: entitlementsOf(found.organization, opaProgram !== undefined) }),
  }),
];

/** The features of an organization: always all of them. Clients check this before using a feature. */
const entitlementsOf = ({ id }: { readonly id: string }, evaluatesPolicies: boolean): Resource => ({
  id,
  type: 'entitlement-sets',
  attributes: { ...entitlements, ...(evaluatesPolicies ? withPolicies : withoutPolicies) },
  links: { self: `/api/v2/entitlement-sets/${id}` },
});

const withPolicies = {
  'policy-enforcement': true,
  'policy-limit': policiesMax,
  'policy-mandatory-enforcement-limit': null,
  'policy-set-limit': policySetsMax,
};
const withoutPolicies = {
  'policy-enforcement': false,
  'policy-limit': 0,
  'policy-mandatory-enforcement-limit': 0,
  'policy-set-limit': 0,
};

const entitlements = {
  agents: true,
  'audit-logging': false,
  'configuration-designer': false,
  'cost-estimation': false,
  'global-run-tasks': false,
  'module-tests-generation': false,
  operations: true,
  'private-module-registry': false,
  'private-policy-agents': false,
  'private-vcs': true,
  'run-task-limit': 100,
  'run-task-mandatory-enforcement-limit': null,
  'run-task-workspace-limit': null,
  'run-tasks': true,
  'self-serve-billing': false,
  sentinel: false,
  sso: false,
  'state-storage': true,
  teams: true,
  'usage-reporting': false,
  'user-limit': null,
  'vcs-integrations': true,
  'vcs-workspace-limit': null,
  'versioned-policy-set-limit': 0,
};
