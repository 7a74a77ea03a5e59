import { sql, type Transaction } from 'kysely';
import { unprocessable } from '#path/jsonapi/error.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { isReadable } from '../../access/readable.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** Changes the consumers of a locked workspace. The ids are unique and readable to the caller. */
export type Change = (tx: Transaction<Database>, workspaceId: string, consumers: readonly string[]) => Promise<void>;

/** Makes a change with workspaces that the caller may read. */
export async function changeConsumers(
  store: WorkspaceParts['store'],
  found: FoundWorkspace,
  change: Change,
  sent: readonly string[],
): Promise<undefined> {
  const ids = [...new Set(sent)];
  await store.transaction(async (tx) => {
    const { id, global_remote_state } = await holdWorkspace(tx, found.workspace.id);
    if (global_remote_state)
      throw unprocessable('Remote state consumers cannot be changed while global remote state sharing is enabled');
    await mustBeReadable(tx, found, ids);
    await change(tx, id, ids);
  });
}

/** Locks the workspaces until the transaction ends. @throws ApiError 422 for workspaces outside the organization or not readable */
async function mustBeReadable(
  tx: Transaction<Database>,
  { workspace, standing }: FoundWorkspace,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await rowsOf({ id: text })`
    select w.id from ws_workspaces w
     where w.id = any(${ids}::text[]) and w.organization_id = ${workspace.organization_id} and ${isReadable(standing)}
     order by w.id for key share`.execute(tx);
  const readable = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !readable.has(id));
  if (missing !== undefined)
    throw unprocessable('Workspace not found, or you are not authorized to use it as a remote state consumer.');
}

/** Adds consumers; present ones are ignored. */
export const add: Change = async (tx, workspaceId, consumers) => {
  if (consumers.includes(workspaceId)) throw unprocessable('A workspace cannot be a remote state consumer of itself');
  await sql`
    insert into ws_consumers (workspace_id, consumer_id)
    select ${workspaceId}, id from unnest(${consumers}::text[]) n (id) on conflict do nothing`.execute(tx);
};

/** Removes consumers; other workspaces are ignored. */
export const remove: Change = async (tx, workspaceId, consumers) => {
  await sql`
    delete from ws_consumers where workspace_id = ${workspaceId} and consumer_id = any(${consumers}::text[])`.execute(
    tx,
  );
};

/** Replaces all consumers. */
export const replace: Change = async (tx, workspaceId, consumers) => {
  await sql`
    delete from ws_consumers where workspace_id = ${workspaceId} and not consumer_id = any(${consumers}::text[])`.execute(
    tx,
  );
  await add(tx, workspaceId, consumers);
};
