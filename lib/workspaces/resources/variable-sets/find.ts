import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { Page } from '#path/jsonapi/page.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { isReadableSet } from '../../access/needs/variable-sets.ts';
import type { Standing } from '../../access/standing.ts';
import { type SetRow, setRowColumns } from './view.ts';

const columns = sql`s.id, o.name as organization_name, s.project_id, s.name, s.description, s.global, s.priority, s.created_at,
  s.updated_at,
  array(select workspace_id from ws_variable_set_workspaces where variable_set_id = s.id order by 1) as workspace_ids,
  array(select project_id from ws_variable_set_projects where variable_set_id = s.id order by 1) as project_ids,
  array(select id from ws_variables where variable_set_id = s.id order by position) as variable_ids`;
const source = sql`ws_variable_sets s join ws_organizations o on o.id = s.organization_id`;

/** The current set with this id. @throws ApiError 404 when it was deleted meanwhile */
export async function readSet(db: Store['db'], id: string): Promise<SetRow> {
  const { rows } = await rowsOf(setRowColumns)`select ${columns} from ${source} where s.id = ${id}`.execute(db);
  const [set] = rows;
  if (set === undefined) throw notFound();
  return set;
}

/** The sets to list: all of an organization, those that apply to a workspace, or those linked to a project. */
export type SetsOf =
  | 'organization'
  | { readonly workspaceId: string; readonly projectId: string }
  | { readonly projectId: string };

/** A page of the sets that the caller may read, with their total number. */
export async function listSets(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  of: SetsOf,
  { name, page }: { readonly name: string | undefined; readonly page: Page },
): Promise<{ readonly sets: readonly SetRow[]; readonly totalCount: number }> {
  const condition = sql`s.organization_id = ${standing.organization.id} and ${belongsTo(of)} and ${isReadableSet(standing)}
    and (${name ?? null}::text is null or strpos(lower(s.name), lower(${name ?? ''})) > 0)`;
  const { rows } = await rowsOf({ ...setRowColumns, total: int })`
    select ${columns}, (select count(*)::int from ws_variable_sets s where ${condition}) as total
      from ${source} where ${condition} order by s.name collate "C", s.id limit ${page.size} offset ${page.offset}`.execute(
    db,
  );
  if (rows[0] !== undefined || page.offset === 0) return { sets: rows, totalCount: rows[0]?.total ?? 0 };
  const { rows: counted } = await rowsOf({ total: int })`
    select count(*)::int as total from ws_variable_sets s where ${condition}`.execute(db);
  return { sets: [], totalCount: counted[0]?.total ?? 0 };
}

function belongsTo(of: SetsOf): RawBuilder<unknown> {
  if (of === 'organization') return sql`true`;
  const ofProject = sql`exists (select 1 from ws_variable_set_projects where variable_set_id = s.id and project_id = ${of.projectId})`;
  if (!('workspaceId' in of)) return sql`(${ofProject} or s.project_id = ${of.projectId})`;
  return sql`(s.global or ${ofProject}
    or exists (select 1 from ws_variable_set_workspaces where variable_set_id = s.id and workspace_id = ${of.workspaceId}))`;
}
