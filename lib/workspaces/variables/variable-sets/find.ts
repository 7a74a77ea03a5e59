import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { Page } from '../../../path/jsonapi/page.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { variableLevels } from '../../access/levels.ts';
import { levelsEverywhere, type Standing, standingOf } from '../../access/standing.ts';
import type { SetRow } from './view.ts';

/** A variable set that the caller may read, and what it is in its organization. */
export interface FoundSet {
  readonly set: SetRow;
  readonly standing: Standing;
}

const columns = sql`s.id, o.name as organization_name, s.project_id, s.name, s.description, s.global, s.priority, s.created_at,
  s.updated_at,
  array(select workspace_id from ws_variable_set_workspaces where variable_set_id = s.id order by 1) as workspace_ids,
  array(select project_id from ws_variable_set_projects where variable_set_id = s.id order by 1) as project_ids,
  array(select id from ws_variables where variable_set_id = s.id order by position) as variable_ids`;
const source = sql`ws_variable_sets s join ws_organizations o on o.id = s.organization_id`;

/** Who may change variable sets: it is like changing the variables of many workspaces. */
export const mayManageSets = (standing: Standing): boolean =>
  standing.may('manage-workspaces') || standing.may('manage-projects');

/**
 * Whether the caller may read the set `s`: one that applies to a workspace whose variables it may read. Who may read all
 * workspaces may read all sets.
 */
function isReadable(standing: Standing): RawBuilder<unknown> {
  if (levelsEverywhere(standing).variables >= variableLevels.read) return sql`true`;
  const granted = sql`g.team_id = any(${standing.teamIds}::text[]) and g.variables >= ${variableLevels.read}`;
  return sql`exists (
    select 1 from ws_grants g left join ws_workspaces w on w.id = g.workspace_id
     where ${granted} and coalesce(w.organization_id, (select organization_id from ws_projects where id = g.project_id)) = s.organization_id
       and (s.global
         or exists (select 1 from ws_variable_set_projects p
                     where p.variable_set_id = s.id and p.project_id in (g.project_id, w.project_id))
         or exists (select 1 from ws_variable_set_workspaces l join ws_workspaces x on x.id = l.workspace_id
                     where l.variable_set_id = s.id and (x.id = g.workspace_id or x.project_id = g.project_id))))`;
}

/** @throws ApiError 404: it is not there, or the caller may not read it */
export async function findSet({ db }: Pick<Store, 'db'>, caller: ApiCaller, id: string): Promise<FoundSet> {
  const organization = sql`(select organization_id from ws_variable_sets where id = ${id})`;
  const standing = await standingOf({ db }, caller, organization);
  const { rows } = await sql<SetRow>`
    select ${columns} from ${source} where s.id = ${id} and ${isReadable(standing)}`.execute(db);
  const [set] = rows;
  if (set === undefined) throw notFound();
  return { set, standing };
}

/** The set with that id as it is now. */
export async function readSet(db: Store['db'], id: string): Promise<SetRow> {
  const { rows } = await sql<SetRow>`select ${columns} from ${source} where s.id = ${id}`.execute(db);
  const [set] = rows;
  if (set === undefined) throw notFound();
  return set;
}

/** What a list of sets is of: all of an organization, or those that apply to a workspace or are connected to a project. */
export type SetsOf =
  | 'organization'
  | { readonly workspaceId: string; readonly projectId: string }
  | { readonly projectId: string };

/** A page of the sets that the caller may read, and how many there are in all. */
export async function listSets(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  of: SetsOf,
  { name, page }: { readonly name: string | undefined; readonly page: Page },
): Promise<{ readonly sets: readonly SetRow[]; readonly totalCount: number }> {
  const condition = sql`s.organization_id = ${standing.organization.id} and ${belongsTo(of)} and ${isReadable(standing)}
    and (${name ?? null}::text is null or strpos(lower(s.name), lower(${name ?? ''})) > 0)`;
  const { rows } = await sql<SetRow & { readonly total: number }>`
    select ${columns}, (select count(*)::int from ws_variable_sets s where ${condition}) as total
      from ${source} where ${condition} order by s.name collate "C", s.id limit ${page.size} offset ${page.offset}`.execute(
    db,
  );
  if (rows[0] !== undefined || page.offset === 0) return { sets: rows, totalCount: rows[0]?.total ?? 0 };
  const { rows: counted } = await sql<{ total: number }>`
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
