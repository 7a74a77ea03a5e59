import { sql } from 'kysely';
import { transitionRefused } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { stateLevels } from '../../access/levels.ts';
import { mustHave } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { findStateVersion, type StateStatus } from './store.ts';
import { stateVersionOf } from './view.ts';

const actions = '/api/v2/state-versions/:state_version_id/actions';

/** Removal of the files of former state versions, which can be taken back until it is made permanent. */
export const backingDataRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'POST',
    path: `${actions}/soft_delete_backing_data`,
    summary: 'Hides the file of a state version',
    run: (call) => change(parts, call, 'finalized', 'backing_data_soft_deleted'),
  },
  {
    method: 'POST',
    path: `${actions}/restore_backing_data`,
    summary: 'Shows the file of a state version again',
    run: (call) => change(parts, call, 'backing_data_soft_deleted', 'finalized'),
  },
  {
    method: 'POST',
    path: `${actions}/permanently_delete_backing_data`,
    summary: 'Removes the file of a state version',
    run: (call) => change(parts, call, 'backing_data_soft_deleted', 'backing_data_permanently_deleted'),
  },
];

async function change(parts: WorkspaceParts, call: ApiCall, from: StateStatus, to: StateStatus): Promise<ApiReply> {
  const { store } = parts;
  const id = call.parameters['state_version_id'] ?? '';
  const { workspace, levels } = await findStateVersion(store, call.caller, id, stateLevels.read);
  mustHave(levels.admin);
  await store.transaction(async (tx) => {
    const held = await holdWorkspace(tx, workspace.id);
    if (held.current_state_version_id === id) throw transitionRefused('The current state version keeps its data');
    const { rows } = await sql<{ state_blob_id: string | null; json_blob_id: string | null }>`
      update ws_state_versions set status = ${to} where id = ${id} and status = ${from}
      returning state_blob_id, json_blob_id`.execute(tx);
    const [changed] = rows;
    if (changed === undefined) throw transitionRefused(`The state version is not ${from}`);
    if (to !== 'backing_data_permanently_deleted') return;
    // A version that went back to this one has the same files.
    await sql`
      update ws_state_versions set state_blob_id = null, json_blob_id = null where id = ${id}`.execute(tx);
    await sql`delete from ws_state_outputs where state_version_id = ${id}`.execute(tx);
    await sql`
      delete from ws_blobs b where b.id in (${changed.state_blob_id}, ${changed.json_blob_id})
         and not exists (select 1 from ws_state_versions s where s.state_blob_id = b.id)
         and not exists (select 1 from ws_state_versions s where s.json_blob_id = b.id)`.execute(tx);
  });
  const { version } = await findStateVersion(store, call.caller, id, stateLevels.read);
  return { data: stateVersionOf(parts, version, { origin: call.origin, level: levels.state_versions }) };
}
