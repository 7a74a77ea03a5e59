import { type RawBuilder, sql, type Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import type { RowOf } from '#store/sql/columns.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { finalStatuses } from '../run-lifecycle/status.ts';
import { removeFiles } from '../state-version-files/backing-data.ts';

type Due = RowOf<typeof dueColumns>;

const dueColumns = { id: text, workspace_id: text };

/**
 * Deletes the files of state and configuration versions that are older than the policy of their workspace allows, or of their
 * organization when the workspace has none; at most `countMax` of each. Current versions are kept at any age. Returns true when
 * more may be left.
 */
export async function applyPolicies(store: Pick<Store, 'db' | 'transaction'>, limit: number): Promise<boolean> {
  const states = await dueStates(store.db, limit);
  await perWorkspace(store, states, removeStates);
  const archives = await dueArchives(store.db, limit);
  await perWorkspace(store, archives, removeArchives);
  return states.length === limit || archives.length === limit;
}

/** Workspaces `w` with the policy `p` that applies to them, if it deletes anything. */
const governed = sql`ws_retention_policies p
  join ws_workspaces w on w.id = p.workspace_id
    or (w.organization_id = p.organization_id
        and not exists (select 1 from ws_retention_policies o where o.workspace_id = w.id))`;

const isTooOld = (alias: string): RawBuilder<unknown> =>
  sql`p.days is not null and ${sql.ref(`${alias}.created_at`)} < now() - make_interval(days => p.days)`;

async function dueStates(db: Store['db'], limit: number): Promise<readonly Due[]> {
  const { rows } = await rowsOf(dueColumns)`
    select s.id, s.workspace_id from ${governed} join ws_state_versions s on s.workspace_id = w.id
     where ${isTooOld('s')} and s.id is distinct from w.current_state_version_id
       and s.status not in ('pending', 'backing_data_permanently_deleted') limit ${limit}`.execute(db);
  return rows;
}

async function dueArchives(db: Store['db'], limit: number): Promise<readonly Due[]> {
  const { rows } = await rowsOf(dueColumns)`
    select c.id, c.workspace_id from ${governed} join ws_configuration_versions c on c.workspace_id = w.id
     where ${isTooOld('c')} and c.status = 'uploaded' and ${isUnused} limit ${limit}`.execute(db);
  return rows;
}

/** Whether the configuration `c` of the workspace `w` is no longer needed. */
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

/** Ignores a workspace deleted meanwhile with all its files. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

/** Versions that have become current since they were found are kept. */
async function removeStates(tx: Transaction<Database>, workspaceId: string, ids: readonly string[]): Promise<void> {
  const { current_state_version_id: current } = await holdWorkspace(tx, workspaceId);
  const { rows } = await rowsOf({ id: text })`
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
  const { rows } = await rowsOf({ blob_id: nullable(text) })`
    update ws_configuration_versions c set status = 'archived' from ws_workspaces w
     where w.id = c.workspace_id and c.id = any(${ids}::text[]) and c.status = 'uploaded' and ${isUnused}
    returning c.blob_id`.execute(tx);
  const files = rows.flatMap(({ blob_id }) => (blob_id === null ? [] : [blob_id]));
  await sql`delete from ws_blobs where id = any(${files}::text[])`.execute(tx);
}
