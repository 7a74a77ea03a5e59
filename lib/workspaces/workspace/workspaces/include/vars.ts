import { sql } from 'kysely';
import { toMany } from '../../../../path/jsonapi/resource.ts';
import { variableLevels } from '../../../access/levels.ts';
import { type VariableRow, variableOf } from '../../../variables/variables/view.ts';
import type { Include } from './including.ts';

/** The variables of those workspaces whose variables the caller may read, in the order in which they were made. */
export const vars: Include = async ({ parts, found }) => {
  const readable = found.filter(({ levels }) => levels.variables >= variableLevels.read);
  const ids = readable.map(({ workspace }) => workspace.id);
  if (ids.length === 0) return { resources: [] };
  const { rows } = await sql<VariableRow>`
    select * from ws_variables
     where workspace_id = any((select ${ids}::text[])::text[]) order by position`.execute(parts.store.db);
  const byWorkspace = Map.groupBy(rows, ({ workspace_id }) => workspace_id);
  const relationships = ids.map((id) => {
    const own = byWorkspace.get(id) ?? [];
    return [
      id,
      {
        vars: toMany(
          'vars',
          own.map((row) => row.id),
        ),
      },
    ] as const;
  });
  return { resources: rows.map((row) => variableOf(parts.store, row)), relationships: new Map(relationships) };
};
