import { type RawBuilder, sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, jsonObject, nullable } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { wsWorkspacesTable } from '#store/tables/workspaces.ts';
import type { RunCaller } from './job.ts';
import { type Levels, noLevels, stateLevels } from './levels.ts';
import {
  executionMode,
  type GrantedLevels,
  grantsOfWorkspace,
  levelsOf,
  organizationAccessById,
  organizationAccessByName,
  type Standing,
} from './standing.ts';

/** A stored workspace. Attributes without a column are in `settings`, under the names of the API. */
export type WorkspaceRow = RowOf<typeof workspaceColumns>;

export const workspaceColumns = {
  ...wsWorkspacesTable,
  settings: jsonObject,
  /** Null: it has the mode of its project or its organization. */
  execution_mode: nullable(executionMode),
};

/** A workspace that the caller may read, with the caller's rights on it. */
export interface FoundWorkspace {
  readonly workspace: WorkspaceRow;
  readonly standing: Standing;
  readonly levels: Levels;
}

/** How a request names a workspace: by an id, by a query for one such as `(select workspace_id from … where id = …)`, or by name. */
export type WorkspaceName =
  | { readonly workspace_id: string | RawBuilder<unknown> }
  | { readonly organization: string; readonly name: string };

/** The grants on a workspace, under the names of `grantColumns`. */
export type GrantedColumns = { readonly [K in keyof Levels as `granted_${K}`]: Levels[K] | null };
export type GrantedRow = RowOf<typeof grantedColumns>;

export const grantedColumns = {
  ...workspaceColumns,
  granted_runs: nullable(int),
  granted_variables: nullable(int),
  granted_state_versions: nullable(int),
  granted_locking: nullable(bool),
  granted_run_tasks: nullable(bool),
  granted_admin: nullable(bool),
  granted_removes: nullable(bool),
  granted_moves: nullable(bool),
};

/**
 * The workspace that a request names, in two statements.
 *
 * @throws ApiError 404 when it does not exist or the caller may not read it
 */
export async function findWorkspace(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  by: WorkspaceName,
): Promise<FoundWorkspace> {
  if ('workspace_id' in by) {
    const organization = sql`(select organization_id from ws_workspaces where id = ${by.workspace_id})`;
    return readable(store, await organizationAccessById(store, caller, organization), sql`w.id = ${by.workspace_id}`);
  }
  const standing = await organizationAccessByName(store, caller, by.organization);
  return readable(
    store,
    standing,
    sql`w.organization_id = ${standing.organization.id} and lower(w.name) = lower(${by.name})`,
  );
}

async function readable(
  { db }: Pick<Store, 'db'>,
  standing: Standing,
  condition: RawBuilder<unknown>,
): Promise<FoundWorkspace> {
  const { rows } = await rowsOf(grantedColumns)`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where ${condition}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  const { caller } = standing;
  if (caller.kind === 'run') return { workspace: row, standing, levels: await levelsOfRun(db, caller, row) };
  if (caller.kind === 'task' && caller.workspaceId !== row.id) throw notFound();
  // Its rights name what it reads.
  if (caller.kind === 'task') return { workspace: row, standing, levels: noLevels };
  const found = { workspace: row, standing, levels: levelsOf(standing, grantedIn(row)) };
  if (found.levels.runs === 0) throw notFound();
  return found;
}

/** Columns of the lateral join `g`, under names that differ from those of a workspace's columns. */
export const grantColumns = sql`g.runs as granted_runs, g.variables as granted_variables,
  g.state_versions as granted_state_versions, g.locking as granted_locking, g.run_tasks as granted_run_tasks,
  g.admin as granted_admin, g.removes as granted_removes, g.moves as granted_moves`;

/** The grants in such columns. */
export const grantedIn = (row: GrantedColumns): GrantedLevels => ({
  runs: row.granted_runs,
  variables: row.granted_variables,
  state_versions: row.granted_state_versions,
  locking: row.granted_locking,
  run_tasks: row.granted_run_tasks,
  admin: row.granted_admin,
  removes: row.granted_removes,
  moves: row.granted_moves,
});

/**
 * A run reads the state of its workspace and of those that share theirs with it, and its apply writes the state of its workspace.
 *
 * @throws ApiError 404 for other workspaces
 */
async function levelsOfRun(
  db: Pick<Store, 'db'>['db'],
  { workspaceId, part }: RunCaller,
  workspace: WorkspaceRow,
): Promise<Levels> {
  const level = workspace.id === workspaceId && part === 'apply' ? stateLevels.write : stateLevels.read;
  const { id, project_id: projectId, global_remote_state: isShared } = workspace;
  const inProject = workspace.settings['project-remote-state'] === true;
  const { rows } = await sql`
    select 1 where ${id === workspaceId || isShared}
        or exists (select 1 from ws_consumers where workspace_id = ${id} and consumer_id = ${workspaceId})
        or ${inProject} and exists (select 1 from ws_workspaces where id = ${workspaceId} and project_id = ${projectId})`.execute(
    db,
  );
  if (rows.length === 0) throw notFound();
  return { ...noLevels, state_versions: level };
}
