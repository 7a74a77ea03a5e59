import { sql } from 'kysely';
import { bytesBody, document } from '#path/jsonapi/input.ts';
import { paged, readBy, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { mustBeEvaluated, mustNotBeSentinel } from '../../frame/policies.ts';
import { relatedIds } from '../../frame/related.ts';
import { type PolicyCheck, policyCheck } from '../opa/check.ts';
import { policyFields } from './fields.ts';
import { sourceBytesMax, sourceReply, storeSource } from './source.ts';
import { createPolicy, listPolicies, readPolicy, updatePolicy } from './store.ts';
import { policyOf } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/policies';
const one = '/api/v2/policies/:policy_id';
const needs = { organization: 'manage-policies' } as const;

const kind = readBy([{ name: 'filter[kind]', schema: { enum: ['opa', 'sentinel'] } }], (query) =>
  query.get('filter[kind]'),
);

/** Policies: rules in Rego, which policy sets apply to the plans of workspaces. */
export const policyRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...listRows(parts),
  ...oneRows(parts),
  ...sourceRows(parts, policyCheck(parts.opaProgram)),
];

const listRows = ({ store, opaProgram }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the policies of an organization',
    needs,
    query: { page: paged(), kind, search: textQuery('search[name]', 'A part of the name') },
    replies: { 200: ['policies'] },
    run: ({ found, query }) => listPolicies(store, found, query),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create a policy, whose text is uploaded afterwards',
    needs,
    body: document({ type: 'policies', attributes: policyFields, relationships: { 'policy-sets': ['policy-sets'] } }),
    replies: { 201: 'policies' },
    async run({ found, body }) {
      mustBeEvaluated(opaProgram, body.attributes.kind);
      const setIds = relatedIds(body.related['policy-sets'], 'policy-sets') ?? [];
      const id = await createPolicy(store, found, body.attributes, setIds);
      return { status: 201, data: policyOf(await readPolicy(store, id)) };
    },
  }),
];

const oneRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a policy',
    needs,
    replies: { 200: 'policies' },
    run: async ({ parameters }) => ({ data: policyOf(await readPolicy(store, parameters.policy_id)) }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a policy',
    needs,
    body: document({ type: 'policies', attributes: policyFields }),
    replies: { 200: 'policies' },
    async run({ parameters, body }) {
      mustNotBeSentinel(body.attributes.kind);
      await updatePolicy(store, await readPolicy(store, parameters.policy_id), body.attributes);
      return { data: policyOf(await readPolicy(store, parameters.policy_id)) };
    },
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a policy',
    needs,
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_policies where id = ${parameters.policy_id}`.execute(store.db);
      return undefined;
    },
  }),
];

const sourceRows = ({ store }: WorkspaceParts, check: PolicyCheck): readonly ApiRow[] => [
  operation({
    method: 'PUT',
    path: `${one}/upload`,
    summary: 'Upload the text of a policy, which must compile',
    needs,
    body: bytesBody,
    streamBytesMax: sourceBytesMax,
    replies: { 204: null },
    async run({ parameters, stream, signal }) {
      await storeSource(store, parameters.policy_id, { stream, check, signal });
      return undefined;
    },
  }),
  operation({
    method: 'GET',
    path: `${one}/download`,
    summary: 'Download the text of a policy',
    needs,
    replies: { 200: { mediaType: 'text/plain' } },
    run: ({ parameters }) => sourceReply(store, parameters.policy_id),
  }),
];
