import { attributesOf } from '../../../path/jsonapi/body.ts';
import { asksForPage, pageOf, told } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { variableFields } from '../variables/fields.ts';
import {
  createVariable,
  deleteVariable,
  listVariables,
  readVariable,
  updateVariable,
  type VariableOwner,
} from '../variables/store.ts';
import { variableOf } from '../variables/view.ts';
import { findSet } from './find.ts';
import { managed } from './rows.ts';

const all = '/api/v2/varsets/:varset_id/relationships/vars';
const one = `${all}/:variable_id`;
const idIn = ({ parameters }: ApiCall): string => parameters['variable_id'] ?? '';

/** Variables of variable sets. */
export const setVariableRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const { store } = parts;
  const read = async (call: ApiCall): Promise<VariableOwner> => {
    const { set } = await findSet(store, call.caller, call.parameters['varset_id'] ?? '');
    return { setId: set.id };
  };
  const written = async (call: ApiCall): Promise<VariableOwner> => ({ setId: (await managed(parts, call)).set.id });
  return [
    {
      method: 'GET',
      path: all,
      summary: 'Variables of a variable set',
      async run(call) {
        const rows = await listVariables(store, await read(call));
        const page = pageOf(call.query);
        if (!asksForPage(call.query)) return { data: rows.map((row) => variableOf(store, row)) };
        const shown = rows.slice(page.offset, page.offset + page.size);
        return { data: shown.map((row) => variableOf(store, row)), page: told(page, rows.length) };
      },
    },
    {
      method: 'POST',
      path: all,
      summary: 'Makes a variable of a variable set',
      async run(call) {
        const owner = await written(call);
        const row = await createVariable(store, owner, attributesOf(call, 'vars', variableFields));
        return { status: 201, data: variableOf(store, row) };
      },
    },
    {
      method: 'GET',
      path: one,
      summary: 'A variable of a variable set',
      run: async (call) => ({ data: variableOf(store, await readVariable(store, await read(call), idIn(call))) }),
    },
    {
      method: 'PATCH',
      path: one,
      summary: 'Changes a variable of a variable set',
      async run(call) {
        const owner = await written(call);
        const change = attributesOf(call, 'vars', variableFields);
        return { data: variableOf(store, await updateVariable(store, owner, idIn(call), change)) };
      },
    },
    {
      method: 'DELETE',
      path: one,
      summary: 'Deletes a variable of a variable set',
      async run(call) {
        await deleteVariable(store, await written(call), idIn(call));
        return undefined;
      },
    },
  ];
};
