import { sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type VariableRow, variableOf } from '../variables/view.ts';
import type { SetRow } from './view.ts';

const known = ['vars', 'workspaces', 'projects'] as const;

/**
 * What a request wants to see beside variable sets: a statement for each kind.
 *
 * @throws ApiError 400 for a relationship that sets do not have
 */
export async function includedIn(
  { store }: WorkspaceParts,
  { query }: ApiCall,
  sets: readonly SetRow[],
): Promise<{ readonly included?: readonly Resource[] }> {
  const wanted = (query.get('include') ?? '').split(',').filter((name) => name !== '');
  const strange = wanted.find((name) => !known.some((one) => one === name));
  if (strange !== undefined) throw badRequest('Invalid include parameter: a variable set has no such relationship');
  if (wanted.length === 0) return {};
  const included: Resource[] = [];
  if (wanted.includes('vars')) {
    const ids = sets.map(({ id }) => id);
    const { rows } = await sql<VariableRow>`
      select * from ws_variables where variable_set_id = any(${ids}::text[]) order by position`.execute(store.db);
    included.push(...rows.map((row) => variableOf(store, row)));
  }
  for (const type of ['workspaces', 'projects'] as const) {
    if (!wanted.includes(type)) continue;
    const ids = sets.flatMap((set) => (type === 'workspaces' ? set.workspace_ids : set.project_ids));
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from ${sql.table(`ws_${type}`)} where id = any(${ids}::text[]) order by id`.execute(store.db);
    included.push(...rows.map(({ id, name }) => ({ id, type, attributes: { name } })));
  }
  return { included };
}
