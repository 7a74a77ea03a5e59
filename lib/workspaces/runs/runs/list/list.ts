import { type RawBuilder, sql } from 'kysely';
import { pageOf, told } from '../../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply } from '../../../../path/jsonapi/row.ts';
import type { Levels } from '../../../access/levels.ts';
import { isReadable } from '../../../access/readable.ts';
import { grantsOfWorkspace, levelsOf, type Standing, standingIn } from '../../../access/standing.ts';
import { findWorkspace, type GrantedColumns, grantColumns, grantedIn } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { type RunRow, runsWhere } from '../store.ts';
import { runOf } from '../view.ts';
import { runCondition } from './filters.ts';

/** Runs of one workspace. */
export async function listRuns(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const { workspace, levels } = await findWorkspace(parts.store, call.caller, by);
  const condition = sql`r.workspace_id = ${workspace.id} and ${runCondition(call.query)}`;
  return page(parts, call, condition, async () => () => levels);
}

/** Runs of all workspaces of an organization that the caller may read; agents look here for work. */
export async function listRunsOfOrganization(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const standing = await standingIn(parts.store, call.caller, call.parameters['organization_name'] ?? '');
  const names = (call.query.get('filter[workspace_names]') ?? '').split(',').filter((name) => name !== '');
  const condition = sql`r.workspace_id in (
      select w.id from ws_workspaces w where w.organization_id = ${standing.organization.id} and ${isReadable(standing)}
         and (${names.length === 0} or w.name = any(${names}::text[])))
    and ${runCondition(call.query)}`;
  return page(parts, call, condition, (rows) => levelsIn(parts, standing, rows));
}

type LevelsOf = (run: RunRow) => Levels | undefined;

async function page(
  parts: WorkspaceParts,
  call: ApiCall,
  condition: RawBuilder<unknown>,
  levels: (rows: readonly RunRow[]) => Promise<LevelsOf>,
): Promise<ApiReply> {
  const { db } = parts.store;
  const wanted = pageOf(call.query);
  const rows = await runsWhere(db, condition, wanted);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from ws_runs r where ${condition}`.execute(db);
  const of = await levels(rows);
  const data = rows.flatMap((row) => {
    const known = of(row);
    return known === undefined ? [] : [runOf(parts, row, known)];
  });
  return { data, page: told(wanted, counted.rows[0]?.total ?? 0) };
}

type Granted = { readonly id: string } & GrantedColumns;

async function levelsIn({ store }: WorkspaceParts, standing: Standing, runs: readonly RunRow[]): Promise<LevelsOf> {
  const ids = [...new Set(runs.map(({ workspace_id }) => workspace_id))];
  const { rows } = await sql<Granted>`
    select w.id, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.id = any(${ids}::text[])`.execute(store.db);
  const byId = new Map(rows.map((row) => [row.id, levelsOf(standing, grantedIn(row))]));
  return ({ workspace_id }) => byId.get(workspace_id);
}
