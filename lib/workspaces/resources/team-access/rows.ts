import { dataOf, relatedOne } from '#path/jsonapi/body.ts';
import { badRequest, unprocessable } from '#path/jsonapi/error.ts';
import type { BodySchema } from '#path/jsonapi/input.ts';
import { pagedIfAsked, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type Body, type Kind, onProjects, onWorkspaces } from './kinds.ts';
import { grantResource, listGrants, readGrant } from './read.ts';
import { createGrant, removeGrant, updateGrant } from './write.ts';

/** Rights of teams on workspaces and projects. */
export const teamAccessRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...listRows(parts, onWorkspaces),
  ...oneRows(parts, onWorkspaces),
  ...listRows(parts, onProjects),
  ...oneRows(parts, onProjects),
];

const listRows = (parts: WorkspaceParts, kind: Kind): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: `/api/v2/${kind.type}`,
    summary: `List the team access to a ${kind.relation}`,
    needs: kind.reads,
    query: { page: pagedIfAsked, target: targetFilter(kind) },
    named: ({ query }) => kind.named(query.target),
    replies: { 200: [kind.type] },
    run: ({ found, query }) => listGrants(parts, kind, kind.targetOf(found), query.page),
  }),
  operation({
    method: 'POST',
    path: `/api/v2/${kind.type}`,
    summary: `Grant a team access to a ${kind.relation}`,
    needs: kind.changes,
    body: newGrant(kind),
    named: ({ body }) => kind.named(body.targetId),
    replies: { 201: kind.type, 403: 'The team would get rights that the caller does not have' },
    run: ({ found, body }) => createGrant(parts, kind, kind.targetOf(found), body),
  }),
];

const oneRows = (parts: WorkspaceParts, kind: Kind): readonly ApiRow[] => {
  const path = `/api/v2/${kind.type}/:grant_id` as const;
  return [
    operation({
      method: 'GET',
      path,
      summary: `Read the access of a team to a ${kind.relation}`,
      needs: kind.reads,
      replies: { 200: kind.type },
      run: async ({ found, parameters }) => ({
        data: grantResource(kind, await readGrant(parts.store, parameters.grant_id, kind.targetOf(found))),
      }),
    }),
    operation({
      method: 'PATCH',
      path,
      summary: `Update the access of a team to a ${kind.relation}`,
      needs: kind.changes,
      body: changedGrant(kind),
      replies: { 200: kind.type, 403: 'The team would get rights that the caller does not have' },
      run: ({ found, parameters, body }) =>
        updateGrant(parts, kind, kind.targetOf(found), { id: parameters.grant_id, ...body }),
    }),
    operation({
      method: 'DELETE',
      path,
      summary: `Revoke the access of a team to a ${kind.relation}`,
      needs: kind.changes,
      replies: { 204: null },
      run: ({ parameters }) => removeGrant(parts, parameters.grant_id),
    }),
  ];
};

/** The workspace or project whose grants to list. @throws ApiError 400 without one */
function targetFilter({ relation }: Kind) {
  const name = `filter[${relation}][id]`;
  return readBy([{ name, required: true }], (query) => {
    const id = query.get(name);
    if (id === null || id === '') throw badRequest(`param is missing or the value is empty: ${name}`);
    return id;
  });
}

const formOf = ({ type, fields, relation, relatedType }: Kind) =>
  ({
    kind: 'document',
    type,
    attributes: fields,
    relationships: { [relation]: relatedType, team: 'teams' },
  }) as const;

/** The levels of a new grant, with its target and its team. */
const newGrant = (kind: Kind): BodySchema<NewGrant> => ({
  form: formOf(kind),
  optional: false,
  read: (body) => {
    const data = dataOf({ body }, kind.type);
    const idOf = (name: string): string => {
      const one = relatedOne(data, name);
      if (one === undefined || one === null) throw unprocessable(`${name} must exist`);
      return one.id;
    };
    return { levels: kind.levels({ body }, undefined), targetId: idOf(kind.relation), teamId: idOf('team') };
  },
});

interface NewGrant {
  readonly levels: ReturnType<Kind['levels']>;
  readonly targetId: string;
  readonly teamId: string;
}

/** The effect of a document depends on the current grant, so the document is read while the grant is locked. */
const changedGrant = (kind: Kind): BodySchema<Body> => ({
  form: formOf(kind),
  optional: false,
  read: (body) => {
    dataOf({ body }, kind.type);
    return { body };
  },
});
