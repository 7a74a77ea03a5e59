import { sql } from 'kysely';
import { attributesOf, dataOf, relatedOne } from '../../../path/jsonapi/body.ts';
import { badRequest, notFound, unprocessable } from '../../../path/jsonapi/error.ts';
import { asksForPage, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { variableLevels } from '../../access/levels.ts';
import { type FoundWorkspace, findWorkspace, mustHave, type WorkspaceName } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { effectiveVariables } from './effective.ts';
import { variableFields } from './fields.ts';
import { createVariable, deleteVariable, listVariables, readVariable, updateVariable } from './store.ts';
import { type VariableRow, variableOf } from './view.ts';

const ofWorkspace = '/api/v2/workspaces/:workspace_id/vars';
const one = `${ofWorkspace}/:variable_id`;
/** Addresses of old clients: the variable alone tells its workspace. */
const legacy = '/api/v2/vars';

/** Variables of workspaces (reference, workspaces 2 "vars"). */
export const variableRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  const list = async (call: ApiCall, by: WorkspaceName) => {
    const { workspace } = await reading(parts, call, by);
    return listed(parts, call, await listVariables(store, { workspaceId: workspace.id }));
  };
  const create = async (call: ApiCall, by: WorkspaceName) => {
    const { workspace } = await writing(parts, call, by);
    const change = attributesOf(call, 'vars', variableFields);
    const row = await createVariable(store, { workspaceId: workspace.id }, change);
    return { status: 201, data: variableOf(store, row) } as const;
  };
  const update = async (call: ApiCall, by: WorkspaceName) => {
    const { workspace } = await writing(parts, call, by);
    const change = attributesOf(call, 'vars', variableFields);
    return { data: variableOf(store, await updateVariable(store, { workspaceId: workspace.id }, idIn(call), change)) };
  };
  const remove = async (call: ApiCall, by: WorkspaceName) => {
    const { workspace } = await writing(parts, call, by);
    await deleteVariable(store, { workspaceId: workspace.id }, idIn(call));
    return undefined;
  };
  const ofVariable = async (call: ApiCall) => ({ workspace_id: await workspaceOf(parts, idIn(call)) });
  return [
    { method: 'GET', path: ofWorkspace, summary: 'Variables of a workspace', run: (call) => list(call, named(call)) },
    { method: 'POST', path: ofWorkspace, summary: 'Makes a variable', run: (call) => create(call, named(call)) },
    {
      method: 'GET',
      path: one,
      summary: 'A variable',
      async run(call) {
        const { workspace } = await reading(parts, call, named(call));
        return { data: variableOf(store, await readVariable(store, { workspaceId: workspace.id }, idIn(call))) };
      },
    },
    { method: 'PATCH', path: one, summary: 'Changes a variable', run: (call) => update(call, named(call)) },
    { method: 'DELETE', path: one, summary: 'Deletes a variable', run: (call) => remove(call, named(call)) },
    {
      method: 'GET',
      path: '/api/v2/workspaces/:workspace_id/all-vars',
      summary: 'Variables of a workspace, those of its variable sets included',
      async run(call) {
        const { workspace } = await reading(parts, call, named(call));
        return listed(parts, call, await effectiveVariables(store, workspace));
      },
    },
    {
      method: 'GET',
      path: legacy,
      summary: 'Variables of a workspace by its name',
      run: (call) => list(call, filtered(call)),
    },
    {
      method: 'POST',
      path: legacy,
      summary: 'Makes a variable of the named workspace',
      run: (call) => create(call, related(call)),
    },
    {
      method: 'PATCH',
      path: `${legacy}/:variable_id`,
      summary: 'Changes a variable of a workspace',
      run: async (call) => update(call, await ofVariable(call)),
    },
    {
      method: 'DELETE',
      path: `${legacy}/:variable_id`,
      summary: 'Deletes a variable of a workspace',
      run: async (call) => remove(call, await ofVariable(call)),
    },
  ];
};

/** Whole unless a page is asked for: old clients never ask for a second one. */
function listed({ store }: WorkspaceParts, call: ApiCall, rows: readonly VariableRow[]): ApiReply {
  if (!asksForPage(call.query)) return { data: rows.map((row) => variableOf(store, row)) };
  const page = pageOf(call.query);
  const shown = rows.slice(page.offset, page.offset + page.size);
  return { data: shown.map((row) => variableOf(store, row)), page: told(page, rows.length) };
}

async function reading(parts: WorkspaceParts, { caller }: ApiCall, by: WorkspaceName): Promise<FoundWorkspace> {
  const found = await findWorkspace(parts.store, caller, by);
  mustHave(found.levels.variables >= variableLevels.read);
  return found;
}

async function writing(parts: WorkspaceParts, { caller }: ApiCall, by: WorkspaceName): Promise<FoundWorkspace> {
  const found = await findWorkspace(parts.store, caller, by);
  mustHave(found.levels.variables >= variableLevels.write);
  return found;
}

const named = ({ parameters }: ApiCall): WorkspaceName => ({ workspace_id: parameters['workspace_id'] ?? '' });
const idIn = ({ parameters }: ApiCall): string => parameters['variable_id'] ?? '';

function filtered({ query }: ApiCall): WorkspaceName {
  const organization = query.get('filter[organization][name]');
  const name = query.get('filter[workspace][name]');
  if (organization === null || name === null)
    throw badRequest('filter[organization][name] and filter[workspace][name] are required');
  return { organization, name };
}

function related(call: ApiCall): WorkspaceName {
  const workspace = relatedOne(dataOf(call, 'vars'), 'workspace');
  if (workspace === undefined || workspace === null) throw unprocessable('a workspace is required');
  return { workspace_id: workspace.id };
}

async function workspaceOf({ store }: WorkspaceParts, id: string): Promise<string> {
  const { rows } = await sql<{ workspace_id: string | null }>`
    select workspace_id from ws_variables where id = ${id}`.execute(store.db);
  const workspace = rows[0]?.workspace_id;
  if (workspace === undefined || workspace === null) throw notFound();
  return workspace;
}
