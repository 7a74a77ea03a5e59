import { sql, type Transaction } from 'kysely';
import { parseJson } from '#core/json/json.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { attachBlob, type StoredBlob } from '../state-blobs/write.ts';
import { insertOutputs } from './outputs.ts';
import type { StateVersionRow } from './store.ts';
import { outputsOf, type StateSummary } from './summary.ts';

export const jsonOutputsName = (id: string): string => `ws_state_versions/${id}/json_outputs`;

/**
 * Finalizes a pending state version with its uploaded file: stores the summary of the file, discards older pending versions, and
 * makes this one current unless it is intermediate. The caller holds the lock on the workspace row.
 */
export async function settle(
  tx: Transaction<Database>,
  store: Pick<Store, 'db' | 'barrier'>,
  version: Pick<StateVersionRow, 'id' | 'workspace_id' | 'intermediate' | 'json_outputs'>,
  file: { readonly blob: StoredBlob; readonly summary: StateSummary },
): Promise<void> {
  const { id, workspace_id: workspaceId } = version;
  const { blob, summary } = file;
  const { resources, modules, providers, managed } = summary.counts;
  await attachBlob(tx, store, blob);
  await insertOutputs(tx, store, id, summary.outputs.length > 0 ? summary.outputs : sentOutputs(store, version));
  await sql`
    update ws_state_versions
       set status = 'finalized', state_blob_id = ${blob.id}, size = ${blob.bytes}, md5 = coalesce(md5, ${blob.md5}),
           engine_version = ${summary.engineVersion}, state_format = ${summary.format}, resources_processed = true,
           resource_count = ${managed}, resources = ${JSON.stringify(resources)}, modules = ${JSON.stringify(modules)},
           providers = ${JSON.stringify(providers)}, json_outputs = null
     where id = ${id}`.execute(tx);
  await sql`
    update ws_state_versions set status = 'discarded'
     where workspace_id = ${workspaceId} and status = 'pending'
       and position < (select position from ws_state_versions where id = ${id})`.execute(tx);
  if (version.intermediate) return;
  await sql`
    update ws_workspaces set current_state_version_id = ${id}, resource_count = ${managed}, latest_change_at = now()
     where id = ${workspaceId}`.execute(tx);
}

/** The outputs sent with the request, for a state without readable outputs. */
function sentOutputs(
  { barrier }: Pick<Store, 'barrier'>,
  { id, json_outputs }: Pick<StateVersionRow, 'id' | 'json_outputs'>,
) {
  if (json_outputs === null) return [];
  return outputsOf(parseJson(barrier.open(json_outputs, jsonOutputsName(id)).toString()));
}
