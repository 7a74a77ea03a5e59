import { document } from '#path/jsonapi/input.ts';
import { pagedIfAsked } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { variableFields } from '../variables/fields.ts';
import { listedVariables } from '../variables/list.ts';
import { createVariable, deleteVariable, listVariables, readVariable, updateVariable } from '../variables/store.ts';
import { variableOf } from '../variables/view.ts';

const all = '/api/v2/varsets/:varset_id/relationships/vars';
const one = `${all}/:variable_id` as const;
const body = document({ type: 'vars', attributes: variableFields });
const needs = { read: { 'variable-set': 'read' }, write: { 'variable-set': 'manage' } } as const;

/** Variables of variable sets. */
export const setVariableRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: all,
    summary: 'List the variables of a variable set',
    needs: needs.read,
    query: { page: pagedIfAsked },
    replies: { 200: ['vars'] },
    run: async ({ found, query }) =>
      listedVariables(store, query.page, await listVariables(store, { setId: found.id })),
  }),
  operation({
    method: 'POST',
    path: all,
    summary: 'Create a variable in a variable set',
    needs: needs.write,
    body,
    replies: { 201: 'vars' },
    run: async ({ found, body }) => {
      const row = await createVariable(store, { setId: found.id }, body.attributes);
      return { status: 201, data: variableOf(store, row) };
    },
  }),
  operation({
    method: 'GET',
    path: one,
    summary: 'Read a variable of a variable set',
    needs: needs.read,
    replies: { 200: 'vars' },
    run: async ({ found, parameters }) => ({
      data: variableOf(store, await readVariable(store, { setId: found.id }, parameters.variable_id)),
    }),
  }),
  operation({
    method: 'PATCH',
    path: one,
    summary: 'Update a variable of a variable set',
    needs: needs.write,
    body,
    replies: { 200: 'vars' },
    run: async ({ found, parameters: { variable_id: id }, body }) => ({
      data: variableOf(store, await updateVariable(store, { setId: found.id }, id, body.attributes)),
    }),
  }),
  operation({
    method: 'DELETE',
    path: one,
    summary: 'Delete a variable of a variable set',
    needs: needs.write,
    replies: { 204: null },
    run: async ({ found, parameters }) => {
      await deleteVariable(store, { setId: found.id }, parameters.variable_id);
      return undefined;
    },
  }),
];
