import { sql, type Transaction } from 'kysely';
import { transitionRefused } from '#path/jsonapi/error.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { operation } from '../../access/needs/operation.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { readStateVersion, type StateStatus } from '../state-versions/store.ts';
import { stateVersionOf } from '../state-versions/view.ts';

const actions = '/api/v2/state-versions/:state_version_id/actions';

const soft = 'backing_data_soft_deleted';

interface Action {
  readonly name: string;
  readonly summary: string;
  readonly from: StateStatus;
  readonly to: StateStatus;
}

const all: readonly Action[] = [
  {
    name: 'soft_delete_backing_data',
    summary: 'Soft-delete the file of a state version',
    from: 'finalized',
    to: soft,
  },
  {
    name: 'restore_backing_data',
    summary: 'Restore the soft-deleted file of a state version',
    from: soft,
    to: 'finalized',
  },
  {
    name: 'permanently_delete_backing_data',
    summary: 'Permanently delete the file of a state version',
    from: soft,
    to: 'backing_data_permanently_deleted',
  },
];

/** Deletion of the files of former state versions, which can be undone until it is made permanent. */
export const backingDataRows = (parts: WorkspaceParts): readonly ApiRow[] =>
  all.map((action) =>
    operation({
      method: 'POST',
      path: `${actions}/${action.name}`,
      summary: action.summary,
      needs: { workspace: 'manage-states' },
      replies: { 200: 'state-versions', 409: 'The state version is current, or has another status' },
      run: ({ found, parameters, origin }) => change(parts, found, { id: parameters.state_version_id, action, origin }),
    }),
  );

interface Wanted {
  readonly id: string;
  readonly action: Action;
  readonly origin: string;
}

async function change(
  parts: WorkspaceParts,
  { workspace, levels, standing }: FoundWorkspace,
  { id, action: { from, to }, origin }: Wanted,
): Promise<ApiReply> {
  const { store } = parts;
  await store.transaction(async (tx) => {
    const held = await holdWorkspace(tx, workspace.id);
    if (held.current_state_version_id === id) throw transitionRefused('The current state version keeps its data');
    const { rows } = await sql`
      update ws_state_versions set status = ${to} where id = ${id} and status = ${from} returning 1`.execute(tx);
    if (rows.length === 0) throw transitionRefused(`The state version is not ${from}`);
    if (to === 'backing_data_permanently_deleted') await removeFiles(tx, [id]);
  });
  const version = await readStateVersion(store.db, id);
  const reader = { origin, level: levels.state_versions, caller: standing.caller };
  return { data: stateVersionOf(parts, version, reader) };
}

/** Deletes the files and the outputs of state versions. A rollback to one of them shares its files and keeps them. */
export async function removeFiles(tx: Transaction<Database>, ids: readonly string[]): Promise<void> {
  const { rows } = await rowsOf({ id: nullable(text) })`
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
