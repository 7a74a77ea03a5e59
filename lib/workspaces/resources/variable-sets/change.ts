import { sql } from 'kysely';
import { attributesOf, relatedMany } from '#path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import { flag, notBlank, text } from '#path/jsonapi/fields.ts';
import { type BodyOf, document } from '#path/jsonapi/input.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Standing } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { relatedIds } from '../../frame/related.ts';
import { variableFields } from '../variables/fields.ts';
import { setOf } from './view.ts';
import { createSet, type SetChange } from './write.ts';

/** Attributes of a variable set in a request. */
const setFields = {
  name: text(255).min(1, notBlank),
  description: text(512).nullable(),
  global: flag(),
  priority: flag(),
};

const links = { workspaces: ['workspaces'], projects: ['projects'] } as const;

export const updateBody = document({ type: 'varsets', attributes: setFields, relationships: links });
export const createBody = document({
  type: 'varsets',
  attributes: setFields,
  relationships: { ...links, vars: ['vars'], parent: 'projects' } as const,
});

/** The changes in a document. */
export const changeIn = ({ attributes, data }: Pick<BodyOf<typeof updateBody>, 'attributes' | 'data'>): SetChange => ({
  ...attributes,
  workspaces: relatedIds(relatedMany(data, 'workspaces'), 'workspaces'),
  projects: relatedIds(relatedMany(data, 'projects'), 'projects'),
});

/** Creates a set with the variables in its document. @throws ApiError 422 */
export async function createVariableSet(
  { store }: WorkspaceParts,
  { organization }: Standing,
  body: BodyOf<typeof createBody>,
): Promise<DocumentReply> {
  const { name, ...change } = changeIn(body);
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const variables = (body.related.vars ?? []).map((sent) =>
    attributesOf({ body: { data: sent } }, 'vars', variableFields),
  );
  const projectId = await parentProject(store, organization.id, body.related.parent?.id);
  const owner = { organizationId: organization.id, projectId };
  return { status: 201, data: setOf(await createSet(store, owner, { ...change, name }, variables)) };
}

/** The project that owns a new set; null when the organization owns it. @throws ApiError 422 */
async function parentProject(
  { db }: WorkspaceParts['store'],
  organizationId: string,
  parent: string | undefined,
): Promise<string | null> {
  if (parent?.startsWith('prj-') !== true) return null;
  const { rows } = await sql`
    select 1 from ws_projects where id = ${parent} and organization_id = ${organizationId}`.execute(db);
  if (rows.length === 0) throw unprocessable('Project not found, or you are not authorized to use it.');
  return parent;
}
