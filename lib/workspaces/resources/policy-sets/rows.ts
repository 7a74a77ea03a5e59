import { sql } from 'kysely';
import { type BodyOf, identifiers } from '#path/jsonapi/input.ts';
import { paged, readBy, textQuery } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { mustBeEvaluated, mustNotBeSentinel } from '../../frame/policies.ts';
import { relatedIds } from '../../frame/related.ts';
import { setBody } from './fields.ts';
import { addLinks, type Link, linkNames, links, removeLinks, type SentLinks } from './links.ts';
import { createSet, listSets, readSet, updateSet } from './store.ts';
import { setOf } from './view.ts';

const ofOrganization = '/api/v2/organizations/:organization_name/policy-sets';
const one = '/api/v2/policy-sets/:policy_set_id';
const needs = { organization: 'manage-policies' } as const;

const kind = readBy([{ name: 'filter[kind]', schema: { enum: ['opa', 'sentinel'] } }], (query) =>
  query.get('filter[kind]'),
);

/** Policy sets: which policies apply to which workspaces. */
export const policySetRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...setRows(parts),
  ...linkNames.flatMap((link) => linkRows(parts, link)),
];

const setRows = ({ store, opaProgram }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: ofOrganization,
    summary: 'List the policy sets of an organization',
    needs,
    query: { page: paged(), kind, search: textQuery('search[name]', 'A part of the name') },
    replies: { 200: ['policy-sets'] },
    run: ({ found, query }) => listSets(store, found, query),
  }),
  operation({
    method: 'POST',
    path: ofOrganization,
    summary: 'Create a policy set',
    needs,
    body: setBody,
    replies: { 201: 'policy-sets' },
    async run({ found, body }) {
      mustBeEvaluated(opaProgram, body.attributes.kind);
      const id = await createSet(store, found, body.attributes, linksIn(body));
      return { status: 201, data: setOf(await readSet(store, id)) };
    },
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a policy set',
    needs,
    replies: { 200: 'policy-sets' },
    run: async ({ parameters }) => ({ data: setOf(await readSet(store, parameters.policy_set_id)) }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a policy set; relationships in the document replace the present ones',
    needs,
    body: setBody,
    replies: { 200: 'policy-sets' },
    async run({ parameters, body }) {
      mustNotBeSentinel(body.attributes.kind);
      await updateSet(store, await readSet(store, parameters.policy_set_id), body.attributes, linksIn(body));
      return { data: setOf(await readSet(store, parameters.policy_set_id)) };
    },
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a policy set; its policies stay',
    needs,
    replies: { 204: null },
    async run({ parameters }) {
      await sql`delete from ws_policy_sets where id = ${parameters.policy_set_id}`.execute(store.db);
      return undefined;
    },
  }),
];

const linksIn = ({ related }: BodyOf<typeof setBody>): SentLinks =>
  Object.fromEntries(
    linkNames.flatMap((link) => {
      const ids = relatedIds(related[link], link);
      return ids === undefined ? [] : [[link, ids]];
    }),
  );

const titles: Readonly<Record<Link, string>> = {
  policies: 'policies',
  workspaces: 'workspaces',
  projects: 'projects',
  'workspace-exclusions': 'excluded workspaces',
};

const linkRows = ({ store }: WorkspaceParts, link: Link): readonly ApiRow[] =>
  [
    { method: 'POST', summary: `Add ${titles[link]} to a policy set`, change: addLinks } as const,
    { method: 'DELETE', summary: `Remove ${titles[link]} from a policy set`, change: removeLinks } as const,
  ].map(({ method, summary, change }) =>
    operation({
      method,
      path: `${one}/relationships/${link}`,
      summary,
      needs,
      body: identifiers(links[link].type),
      replies: { 204: null },
      async run({ parameters, body }) {
        await change(store.db, parameters.policy_set_id, link, [...new Set(body)]);
        return undefined;
      },
    }),
  );
