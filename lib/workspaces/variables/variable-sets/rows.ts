import { sql } from 'kysely';
import { attributesOf, dataOf, identifiersOf, relatedMany, relatedOne } from '../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../path/jsonapi/error.ts';
import { pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { variableLevels } from '../../access/levels.ts';
import { type Standing, standingIn, standingOf } from '../../access/standing.ts';
import { findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { variableFields } from '../variables/fields.ts';
import { idsIn, setFields } from './fields.ts';
import { type FoundSet, findSet, listSets, mayManageSets, type SetsOf } from './find.ts';
import { includedIn } from './include.ts';
import { setOf } from './view.ts';
import { addLinks, createSet, deleteSet, type Link, removeLinks, type SetChange, updateSet } from './write.ts';

const inOrganization = '/api/v2/organizations/:organization_name/varsets';
const one = '/api/v2/varsets/:varset_id';

/** Variable sets and what they apply to. Their variables are in `variables.ts`. */
export const variableSetRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: inOrganization,
    summary: 'Variable sets of an organization',
    async run(call) {
      const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
      return list(parts, call, standing, 'organization');
    },
  },
  ...['varsets', 'applicable-varsets'].map(
    (name): ApiRow => ({
      method: 'GET',
      path: `/api/v2/workspaces/:workspace_id/${name}`,
      summary: 'Variable sets that apply to a workspace',
      async run(call) {
        const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
        const { workspace, standing, levels } = await findWorkspace(parts.store, call.caller, by);
        mustHave(levels.variables >= variableLevels.read);
        return list(parts, call, standing, { workspaceId: workspace.id, projectId: workspace.project_id });
      },
    }),
  ),
  {
    method: 'GET',
    path: '/api/v2/projects/:project_id/varsets',
    summary: 'Variable sets of a project',
    async run(call) {
      const projectId = call.parameters['project_id'] ?? '';
      const organization = sql`(select organization_id from ws_projects where id = ${projectId})`;
      return list(parts, call, await standingOf(parts.store, call.caller, organization), { projectId });
    },
  },
  { method: 'POST', path: inOrganization, summary: 'Makes a variable set', run: (call) => create(parts, call) },
  {
    method: 'GET',
    path: one,
    summary: 'A variable set',
    async run(call) {
      const { set } = await found(parts, call);
      return { data: setOf(set), ...(await includedIn(parts, call, [set])) };
    },
  },
  { method: 'PATCH', path: one, summary: 'Changes a variable set', run: (call) => update(parts, call) },
  {
    method: 'DELETE',
    path: one,
    summary: 'Deletes a variable set with its variables',
    async run(call) {
      const { set } = await managed(parts, call);
      await deleteSet(parts.store.db, set.id);
      return undefined;
    },
  },
  ...linkRows(parts, 'workspaces'),
  ...linkRows(parts, 'projects'),
];

const linkRows = (parts: WorkspaceParts, link: Link): readonly ApiRow[] => {
  const path = `${one}/relationships/${link}`;
  const change =
    (verb: typeof addLinks): ApiRow['run'] =>
    async (call) => {
      const { set } = await managed(parts, call);
      const ids = new Set(identifiersOf(call, link).map(({ id }) => id));
      await verb(parts.store.db, set.id, link, [...ids]);
      return undefined;
    };
  return [
    { method: 'POST', path, summary: `Lets a variable set apply to ${link}`, run: change(addLinks) },
    { method: 'DELETE', path, summary: `Lets a variable set apply to ${link} no more`, run: change(removeLinks) },
  ];
};

const found = ({ store }: WorkspaceParts, { caller, parameters }: ApiCall): Promise<FoundSet> =>
  findSet(store, caller, parameters['varset_id'] ?? '');

/** @throws ApiError 404 for who may not change it */
export async function managed(parts: WorkspaceParts, call: ApiCall): Promise<FoundSet> {
  const one = await found(parts, call);
  mustHave(mayManageSets(one.standing));
  return one;
}

async function list(parts: WorkspaceParts, call: ApiCall, standing: Standing, of: SetsOf): Promise<ApiReply> {
  const page = pageOf(call.query);
  const name = call.query.get('q') ?? undefined;
  const { sets, totalCount } = await listSets(parts.store, standing, of, { name, page });
  return { data: sets.map(setOf), page: told(page, totalCount), ...(await includedIn(parts, call, sets)) };
}

async function create(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  mustHave(mayManageSets(standing));
  const { name, ...change } = changeIn(call);
  if (name === undefined) throw invalidAttribute('name', "Name can't be blank");
  const data = dataOf(call, 'varsets');
  const variables = (relatedMany(data, 'vars') ?? []).map((sent) =>
    attributesOf({ body: { data: sent } }, 'vars', variableFields),
  );
  const owner = { organizationId: standing.organization.id, projectId: await parentProject(parts, call, standing) };
  return { status: 201, data: setOf(await createSet(parts.store, owner, { ...change, name }, variables)) };
}

async function update(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { set } = await managed(parts, call);
  const changed = await updateSet(parts.store, set.id, changeIn(call));
  return { data: setOf(changed), ...(await includedIn(parts, call, [changed])) };
}

function changeIn(call: ApiCall): SetChange {
  const data = dataOf(call, 'varsets');
  return {
    ...attributesOf(call, 'varsets', setFields),
    workspaces: idsIn(data, 'workspaces'),
    projects: idsIn(data, 'projects'),
  };
}

/** The project that owns a new set; null: its organization does. @throws ApiError 422 */
async function parentProject({ store }: WorkspaceParts, call: ApiCall, standing: Standing): Promise<string | null> {
  const parent = relatedOne(dataOf(call, 'varsets'), 'parent');
  if (parent === undefined || parent === null || !parent.id.startsWith('prj-')) return null;
  const { rows } = await sql`
    select 1 from ws_projects where id = ${parent.id} and organization_id = ${standing.organization.id}`.execute(
    store.db,
  );
  if (rows.length === 0) throw unprocessable('Project not found, or you are not authorized to use it.');
  return parent.id;
}
