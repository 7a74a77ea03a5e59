import { type RawBuilder, sql } from 'kysely';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply } from '../../../../path/jsonapi/row.ts';
import { isReadable } from '../../../access/readable.ts';
import { grantsOfWorkspace, type Standing, standingIn } from '../../../access/standing.ts';
import { type FoundWorkspace, findWorkspace, type GrantedRow, grantColumns } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { foundIn } from '../../../workspace/workspaces/document.ts';
import { type RunRow, runsWhere } from '../store.ts';
import { runOf } from '../view.ts';
import { runCondition } from './filters.ts';
import { includedWith } from './include.ts';

/** Runs of one workspace. */
export async function listRuns(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const found = await findWorkspace(parts.store, call.caller, by);
  const condition = sql`r.workspace_id = ${found.workspace.id} and ${runCondition(call.query)}`;
  return page(parts, call, { condition, workspacesOf: async () => [found] });
}

/** Runs of all workspaces of an organization that the caller may read; agents look here for work. */
export async function listRunsOfOrganization(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const names = (call.query.get('filter[workspace_names]') ?? '').split(',').filter((name) => name !== '');
  const condition = sql`r.workspace_id in (
      select w.id from ws_workspaces w where w.organization_id = ${standing.organization.id} and ${isReadable(standing)}
         and (${names.length === 0} or w.name = any(${names}::text[])))
    and ${runCondition(call.query)}`;
  return runsOfStanding(parts, call, { standing, condition });
}

/** Runs of one organization that meet a condition, the newest first unless another order is given. */
export const runsOfStanding = (
  parts: WorkspaceParts,
  call: ApiCall,
  { standing, ...wanted }: Pick<Wanted, 'condition' | 'order'> & { readonly standing: Standing },
): Promise<ApiReply> => page(parts, call, { ...wanted, workspacesOf: (rows) => workspacesIn(parts, standing, rows) });

interface Wanted {
  readonly condition: RawBuilder<unknown>;
  readonly order?: RawBuilder<unknown>;
  /** The workspaces of runs, with what the caller may do there. */
  readonly workspacesOf: (rows: readonly RunRow[]) => Promise<readonly FoundWorkspace[]>;
}

async function page(
  parts: WorkspaceParts,
  call: ApiCall,
  { condition, order, workspacesOf }: Wanted,
): Promise<ApiReply> {
  const { db } = parts.store;
  const wanted = pageOf(call.query);
  const rows = await runsWhere(db, condition, wanted, order);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ws_runs r where ${condition}`.execute(db);
  const found = await workspacesOf(rows);
  const levels = new Map(found.map((one) => [one.workspace.id, one.levels]));
  const data = rows.flatMap((row) => {
    const known = levels.get(row.workspace_id);
    return known === undefined ? [] : [runOf(parts, row, known)];
  });
  const included = await includedWith(parts, call, rows, found);
  return { data, page: told(wanted, counted.rows[0]?.total ?? 0), ...included };
}

async function workspacesIn(
  { store }: WorkspaceParts,
  standing: Standing,
  runs: readonly RunRow[],
): Promise<readonly FoundWorkspace[]> {
  const ids = [...new Set(runs.map(({ workspace_id }) => workspace_id))];
  const { rows } = await sql<GrantedRow>`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.id = any(${ids}::text[])`.execute(store.db);
  return foundIn(standing, rows);
}
