import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../path/jsonapi/row.ts';
import type { Store } from '../../store/store.ts';
import type { Levels } from './levels.ts';
import { type GrantedLevels, grantsOfWorkspace, levelsOf, type Standing, standingIn, standingOf } from './standing.ts';

/** A workspace as the store has it. What of it is no column stands in `settings`, by the names of the API. */
export interface WorkspaceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its own; null: that of its project or its organization. */
  readonly execution_mode: 'remote' | 'local' | 'agent' | null;
  readonly agent_pool_id: string | null;
  readonly engine_version: string;
  readonly global_remote_state: boolean;
  readonly ssh_key_id: string | null;
  readonly oauth_token_id: string | null;
  readonly lock_kind: 'users' | 'teams' | 'runs' | null;
  readonly lock_holder: string | null;
  readonly lock_reason: string | null;
  /** Of the present lock, or of the last one: no other lock of the workspace has it. */
  readonly lock_epoch: string;
  readonly current_state_version_id: string | null;
  readonly current_run_id: string | null;
  readonly current_configuration_version_id: string | null;
  readonly resource_count: number;
  readonly runs_count: number;
  readonly run_failures: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly latest_change_at: Date;
}

/** A workspace that the caller may read, and what else it may do with it. */
export interface FoundWorkspace {
  readonly workspace: WorkspaceRow;
  readonly standing: Standing;
  readonly levels: Levels;
}

/** How a request names a workspace. */
export type WorkspaceName =
  | { readonly workspace_id: string }
  | { readonly organization: string; readonly name: string };

/** What is granted on a workspace, as `grantColumns` name it. */
export type GrantedColumns = { readonly [K in keyof Levels as `granted_${K}`]: Levels[K] | null };
export type GrantedRow = WorkspaceRow & GrantedColumns;

/**
 * The workspace that a request names, in two statements.
 *
 * @throws ApiError 404: it is not there, or the caller may not read it
 */
export async function findWorkspace(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  by: WorkspaceName,
): Promise<FoundWorkspace> {
  if ('workspace_id' in by) {
    const organization = sql`(select organization_id from ws_workspaces where id = ${by.workspace_id})`;
    return readable(store, await standingOf(store, caller, organization), sql`w.id = ${by.workspace_id}`);
  }
  const standing = await standingIn(store, caller, by.organization);
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
  const { rows } = await sql<GrantedRow>`
    select w.*, ${grantColumns} from ws_workspaces w left join lateral ${grantsOfWorkspace(standing)} g on true
     where ${condition}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  const found = { workspace: row, standing, levels: levelsOf(standing, grantedIn(row)) };
  if (found.levels.runs === 0) throw notFound();
  return found;
}

/** Columns of the lateral join `g` under names that no column of a workspace has. */
export const grantColumns = sql`g.runs as granted_runs, g.variables as granted_variables,
  g.state_versions as granted_state_versions, g.locking as granted_locking, g.run_tasks as granted_run_tasks,
  g.admin as granted_admin, g.removes as granted_removes, g.moves as granted_moves`;

/** What such columns say. */
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

/** For a change that needs more than reading: who has not enough learns as little as who may not read. @throws ApiError 404 */
export function mustHave(enough: boolean): void {
  if (!enough) throw notFound();
}
