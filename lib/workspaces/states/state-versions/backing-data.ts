import { sql, type Transaction } from 'kysely';
import { transitionRefused } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
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
    const { rows } = await sql`
      update ws_state_versions set status = ${to} where id = ${id} and status = ${from} returning 1`.execute(tx);
    if (rows.length === 0) throw transitionRefused(`The state version is not ${from}`);
    if (to === 'backing_data_permanently_deleted') await removeFiles(tx, [id]);
  });
  const { version } = await findStateVersion(store, call.caller, id, stateLevels.read);
  return {
    data: stateVersionOf(parts, version, { origin: call.origin, level: levels.state_versions, caller: call.caller }),
  };
}

/** Removes the files and the outputs of state versions. A version that went back to one of them has the same files and keeps them. */
export async function removeFiles(tx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  const { rows } = await sql<{ id: string | null }>`
    select unnest(array[state_blob_id, json_blob_id]) as id from ws_state_versions
     where id = any(${ids}::text[])`.execute(tx);
  const files = rows.flatMap(({ id }) => (id === null ? [] : [id]));
  await sql`
    update ws_state_versions set state_blob_id = null, json_blob_id = null where id = any(${ids}::text[])`.execute(tx);
  await sql`delete from ws_state_outputs where state_version_id = any(${ids}::text[])`.execute(tx);
  await sql`
    delete from ws_blobs b where b.id = any(${files}::text[])
       and not exists (select 1 from ws_state_versions s where s.state_blob_id = b.id)
       and not exists (select 1 from ws_state_versions s where s.json_blob_id = b.id)`.execute(tx);
}
