import { sql, type Transaction } from 'kysely';
import { identifiersOf } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { isReadable } from '../../access/readable.ts';
import { managesWorkspaces } from '../../access/standing.ts';
import { type FoundWorkspace, findWorkspace, mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';

/** Of the workspace that is held; the ids are of readable workspaces, each once. */
type Change = (tx: Transaction<Database>, workspaceId: string, consumers: readonly string[]) => Promise<void>;

/** Names workspaces that may read the state; those that may already are passed over. */
export const addConsumers = (parts: WorkspaceParts, call: ApiCall): Promise<undefined> =>
  changeConsumers(parts, call, ({ levels }) => levels.admin, add);

/** Takes workspaces from those that may read the state; those that may not are passed over. */
export const removeConsumers = (parts: WorkspaceParts, call: ApiCall): Promise<undefined> =>
  changeConsumers(parts, call, ({ levels }) => levels.admin, remove);

/** Names the only workspaces that may read the state, which takes the management of all workspaces. */
export const replaceConsumers = (parts: WorkspaceParts, call: ApiCall): Promise<undefined> =>
  changeConsumers(parts, call, ({ standing }) => managesWorkspaces(standing), replace);

async function changeConsumers(
  { store }: WorkspaceParts,
  call: ApiCall,
  mayChange: (found: FoundWorkspace) => boolean,
  change: Change,
): Promise<undefined> {
  const by = { workspace_id: call.parameters['workspace_id'] ?? '' };
  const found = await findWorkspace(store, call.caller, by);
  mustHave(mayChange(found));
  const ids = [...new Set(identifiersOf(call, 'workspaces').map(({ id }) => id))];
  await store.transaction(async (tx) => {
    const { id, global_remote_state } = await holdWorkspace(tx, found.workspace.id);
    if (global_remote_state)
      throw unprocessable('Remote state consumers cannot be changed while global remote state sharing is enabled');
    await mustBeReadable(tx, found, ids);
    await change(tx, id, ids);
  });
}

/** They stay there until the transaction ends. @throws ApiError 422 for what is not in the organization or may not be read */
async function mustBeReadable(
  tx: Transaction<Database>,
  { workspace, standing }: FoundWorkspace,
  ids: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select w.id from ws_workspaces w
     where w.id = any(${ids}::text[]) and w.organization_id = ${workspace.organization_id} and ${isReadable(standing)}
     order by w.id for key share`.execute(tx);
  const readable = new Set(rows.map(({ id }) => id));
  const missing = ids.find((id) => !readable.has(id));
  if (missing !== undefined)
    throw unprocessable('Workspace not found, or you are not authorized to use it as a remote state consumer.');
}

const add: Change = async (tx, workspaceId, consumers) => {
  if (consumers.includes(workspaceId)) throw unprocessable('A workspace cannot be a remote state consumer of itself');
  await sql`
    insert into ws_consumers (workspace_id, consumer_id)
    select ${workspaceId}, id from unnest(${consumers}::text[]) n (id) on conflict do nothing`.execute(tx);
};

const remove: Change = async (tx, workspaceId, consumers) => {
  await sql`
    delete from ws_consumers where workspace_id = ${workspaceId} and consumer_id = any(${consumers}::text[])`.execute(
    tx,
  );
};

const replace: Change = async (tx, workspaceId, consumers) => {
  await sql`
    delete from ws_consumers where workspace_id = ${workspaceId} and not consumer_id = any(${consumers}::text[])`.execute(
    tx,
  );
  await add(tx, workspaceId, consumers);
};
