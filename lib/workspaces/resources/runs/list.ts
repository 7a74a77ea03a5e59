import { type RawBuilder, sql } from 'kysely';
import { type Page, pageInfo } from '#path/jsonapi/page.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { isReadable } from '../../access/readable.ts';
import { grantsOfWorkspace, type Standing } from '../../access/standing.ts';
import { type FoundWorkspace, grantColumns, grantedColumns } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type RunRow, runsWhere } from '../run-lifecycle/store.ts';
import { runOf } from '../run-lifecycle/view.ts';
import { foundIn } from '../workspaces/document.ts';
import { filterParameters, runCondition } from './filters.ts';
import { include, includedWith } from './include.ts';

/** The query of a list of runs. */
export const runQuery = {
  page: paged(),
  matching: readBy(filterParameters, runCondition),
  include,
};

/** What a list of runs is asked for, and the address at which the client knows this service. */
export interface RunQuery {
  readonly page: Page;
  readonly include: ReadonlySet<string>;
  readonly origin: string;
}

interface Matching extends RunQuery {
  readonly matching: RawBuilder<unknown>;
}

/** The runs of one workspace. */
export function listRuns(parts: WorkspaceParts, found: FoundWorkspace, query: Matching): Promise<ApiReply> {
  const condition = sql`r.workspace_id = ${found.workspace.id} and not r.assessment and ${query.matching}`;
  return listed(parts, query, { condition, workspacesOf: async () => [found] });
}

/** The runs of all workspaces of an organization that the caller may read. Agents poll this for work. */
export function listRunsOfOrganization(
  parts: WorkspaceParts,
  standing: Standing,
  { names, ...query }: Matching & { readonly names: readonly string[] },
): Promise<ApiReply> {
  const condition = sql`r.workspace_id in (
      select w.id from ws_workspaces w where w.organization_id = ${standing.organization.id} and ${isReadable(standing)}
         and (${names.length === 0} or w.name = any(${names}::text[])))
    and not r.assessment and ${query.matching}`;
  return runsOfStanding(parts, query, { standing, condition });
}

/** Runs of one organization that meet a condition, newest first unless another order is given. */
export const runsOfStanding = (
  parts: WorkspaceParts,
  query: RunQuery,
  { standing, ...wanted }: Pick<Wanted, 'condition' | 'order'> & { readonly standing: Standing },
): Promise<ApiReply> =>
  listed(parts, query, { ...wanted, workspacesOf: (rows) => workspacesIn(parts, standing, rows) });

interface Wanted {
  readonly condition: RawBuilder<unknown>;
  readonly order?: RawBuilder<unknown>;
  /** Reads the workspaces of runs with the rights of the caller there. */
  readonly workspacesOf: (rows: readonly RunRow[]) => Promise<readonly FoundWorkspace[]>;
}

async function listed(
  parts: WorkspaceParts,
  { page, include: asked, origin }: RunQuery,
  { condition, order, workspacesOf }: Wanted,
): Promise<ApiReply> {
  const { db } = parts.store;
  const rows = await runsWhere(db, condition, page, order);
  const counted = await rowsOf({ total: int })`
    select count(*)::int as total from ws_runs r where ${condition}`.execute(db);
  const found = await workspacesOf(rows);
  const levels = new Map(found.map((one) => [one.workspace.id, one.levels]));
  const data = rows.flatMap((row) => {
    const known = levels.get(row.workspace_id);
    return known === undefined ? [] : [runOf(parts, row, known)];
  });
  const included = await includedWith(parts, { asked, origin, runs: rows, found });
  return { data, page: pageInfo(page, counted.rows[0]?.total ?? 0), ...included };
}

async function workspacesIn(
  { store }: WorkspaceParts,
  standing: Standing,
  runs: readonly RunRow[],
): Promise<readonly FoundWorkspace[]> {
  const ids = [...new Set(runs.map(({ workspace_id }) => workspace_id))];
  const { rows } = await rowsOf(grantedColumns)`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where w.id = any(${ids}::text[])`.execute(store.db);
  return foundIn(standing, rows);
}
