import { variableLevels } from '../../../access/levels.ts';
import { listVariablesOf } from '../../../variables/variables/store.ts';
import { variableOf } from '../../../variables/variables/view.ts';
import { type Include, includedMax } from './including.ts';

/** Variables of the workspaces themselves, where the caller may read them; sensitive values are null. */
export const variables: Include = async ({ parts, found }) => {
  const ids = found
    .filter(({ levels }) => levels.variables >= variableLevels.read)
    .map(({ workspace }) => workspace.id);
  if (ids.length === 0) return { resources: [] };
  const rows = await listVariablesOf(parts.store, ids, includedMax);
  return { resources: rows.map((row) => variableOf(parts.store, row)) };
};
