import { type RawBuilder, sql, type Transaction } from 'kysely';
import { ApiError } from '../../../path/jsonapi/error.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { finalStatuses } from '../../runs/runs/status.ts';
import { removeFiles } from '../../states/state-versions/backing-data.ts';

interface Due {
  readonly id: string;
  readonly workspace_id: string;
}

/**
 * Removes the files of state versions and of configurations that are older than the policy of their workspace allows, or that of
 * the organization where the workspace has none; so many of each at most. What is current stays, whatever its age. True: there
 * may be more.
 */
export async function applyPolicies(store: Pick<Store, 'db' | 'transaction'>, limit: number): Promise<boolean> {
  const states = await dueStates(store.db, limit);
  await perWorkspace(store, states, removeStates);
  const archives = await dueArchives(store.db, limit);
  await perWorkspace(store, archives, removeArchives);
  return states.length === limit || archives.length === limit;
}

/** Workspaces `w` with the policy `p` that holds for them and that ever removes something. */
const governed = sql`ws_retention_policies p
  join ws_workspaces w on w.id = p.workspace_id
    or (w.organization_id = p.organization_id
        and not exists (select 1 from ws_retention_policies o where o.workspace_id = w.id))`;

const isTooOld = (alias: string): RawBuilder<unknown> =>
  sql`p.days is not null and ${sql.ref(`${alias}.created_at`)} < now() - make_interval(days => p.days)`;

async function dueStates(db: Store['db'], limit: number): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`
    select s.id, s.workspace_id from ${governed} join ws_state_versions s on s.workspace_id = w.id
     where ${isTooOld('s')} and s.id is distinct from w.current_state_version_id
       and s.status not in ('pending', 'backing_data_permanently_deleted') limit ${limit}`.execute(db);
  return rows;
}

async function dueArchives(db: Store['db'], limit: number): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`
    select c.id, c.workspace_id from ${governed} join ws_configuration_versions c on c.workspace_id = w.id
     where ${isTooOld('c')} and c.status = 'uploaded' and ${isUnused} limit ${limit}`.execute(db);
  return rows;
}

/** Whether nothing needs the configuration `c` of the workspace `w` any more. */
const isUnused = sql`c.id is distinct from w.current_configuration_version_id
  and not exists (select 1 from ws_runs r where r.workspace_id = w.id and r.configuration_version_id = c.id
                     and r.status <> all(${finalStatuses}::text[]))`;

async function perWorkspace(
  store: Pick<Store, 'transaction'>,
  due: readonly Due[],
  remove: (tx: Transaction<Database>, workspaceId: string, ids: readonly string[]) => Promise<void>,
): Promise<void> {
  for (const [workspaceId, found] of Map.groupBy(due, (one) => one.workspace_id)) {
    const ids = found.map(({ id }) => id);
    await store.transaction((tx) => remove(tx, workspaceId, ids)).catch(unlessGone);
  }
}

/** A workspace may go meanwhile, with all its files. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

/** What has become current since it was found stays. */
async function removeStates(tx: Transaction<Database>, workspaceId: string, ids: readonly string[]): Promise<void> {
  const { current_state_version_id: current } = await holdWorkspace(tx, workspaceId);
  const { rows } = await sql<{ id: string }>`
    update ws_state_versions set status = 'backing_data_permanently_deleted'
     where id = any(${ids}::text[]) and id is distinct from ${current} and status <> 'pending' returning id`.execute(
    tx,
  );
  await removeFiles(
    tx,
    rows.map(({ id }) => id),
  );
}

async function removeArchives(tx: Transaction<Database>, workspaceId: string, ids: readonly string[]): Promise<void> {
  await holdWorkspace(tx, workspaceId);
  const { rows } = await sql<{ blob_id: string | null }>`
    update ws_configuration_versions c set status = 'archived' from ws_workspaces w
     where w.id = c.workspace_id and c.id = any(${ids}::text[]) and c.status = 'uploaded' and ${isUnused}
    returning c.blob_id`.execute(tx);
  const files = rows.flatMap(({ blob_id }) => (blob_id === null ? [] : [blob_id]));
  await sql`delete from ws_blobs where id = any(${files}::text[])`.execute(tx);
}
