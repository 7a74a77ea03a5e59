import { sql } from 'kysely';
import type { Resource } from '../../../path/jsonapi/resource.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { askedIncludes } from '../../frame/include.ts';
import { type VariableRow, variableOf } from '../variables/view.ts';
import type { SetRow } from './view.ts';

/** The service has no stacks: there are none to include. */
const known = ['vars', 'workspaces', 'projects', 'stacks', 'parent', 'organization'] as const;

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
  const wanted = askedIncludes(query, known);
  if (wanted.size === 0) return {};
  const included: Resource[] = [];
  if (wanted.has('vars')) {
    const ids = sets.map(({ id }) => id);
    const { rows } = await sql<VariableRow>`
      select * from ws_variables where variable_set_id = any(${ids}::text[]) order by position`.execute(store.db);
    included.push(...rows.map((row) => variableOf(store, row)));
  }
  for (const type of ['workspaces', 'projects'] as const) {
    if (!wanted.has(type)) continue;
    const ids = sets.flatMap((set) => (type === 'workspaces' ? set.workspace_ids : set.project_ids));
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from ${sql.table(`ws_${type}`)} where id = any(${ids}::text[]) order by id`.execute(store.db);
    included.push(...rows.map(({ id, name }) => ({ id, type, attributes: { name } })));
  }
  return { included };
}
