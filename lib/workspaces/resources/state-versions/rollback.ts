import { sql } from 'kysely';
import { parseJson } from '#core/json/json.ts';
import { unprocessable } from '#path/jsonapi/error.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { mustHoldLock } from './lock.ts';
import { insertOutputs, outputsOfVersions, outputValueOf } from './outputs.ts';
import { readStateVersion } from './store.ts';
import { stateVersionOf } from './view.ts';

/**
 * Makes a copy of a former state version the current one. The copy keeps the serial in its file, from which the next state counts on.
 *
 * @throws ApiError 404, 409 when the caller does not hold the lock, 422 for a version that cannot be restored
 */
export async function rollBack(
  parts: WorkspaceParts,
  { workspace, levels, standing: { caller } }: FoundWorkspace,
  wanted: { readonly id: string } | null | undefined,
  origin: string,
): Promise<ApiReply> {
  const { store } = parts;
  if (wanted === undefined || wanted === null) throw unprocessable('a rollback-state-version is required');
  const id = newId('sv');
  await store.transaction(async (tx) => {
    const held = await holdWorkspace(tx, workspace.id);
    await mustHoldLock(tx, held, { caller, levels, runId: null });
    const { rows } = await sql`
      insert into ws_state_versions
        (id, workspace_id, serial, lineage, md5, status, created_by_kind, created_by, engine_version, state_format, size,
         resources_processed, resource_count, resources, modules, providers, state_blob_id, json_blob_id, rollback_of,
         lock_epoch)
      select ${id}, workspace_id, serial, lineage, md5, status, ${caller.kind}, ${caller.id}, engine_version, state_format, size,
             resources_processed, resource_count, resources, modules, providers, state_blob_id, json_blob_id, id,
             ${held.lock_epoch}::bigint
        from ws_state_versions where id = ${wanted.id} and workspace_id = ${workspace.id} and status = 'finalized'
      returning 1`.execute(tx);
    if (rows.length === 0) throw unprocessable('Rollback state version not found, or it has no state to roll back to.');
    const outputs = await outputsOfVersions({ db: tx }, [wanted.id]);
    const copies = outputs.map((row) => ({
      ...row,
      type: parseJson(JSON.stringify(row.detailed_type)),
      value: outputValueOf(store, row),
    }));
    await insertOutputs(tx, store, id, copies);
    await sql`update ws_state_versions set status = 'discarded' where workspace_id = ${workspace.id} and status = 'pending'`.execute(
      tx,
    );
    await sql`
      update ws_workspaces w set current_state_version_id = s.id, resource_count = s.resource_count, latest_change_at = now()
        from ws_state_versions s where s.id = ${id} and w.id = ${workspace.id}`.execute(tx);
  });
  const row = await readStateVersion(store.db, id);
  return {
    status: 201,
    data: stateVersionOf(parts, row, { origin, level: levels.state_versions, caller }),
  };
}
