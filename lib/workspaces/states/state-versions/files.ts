import { sql } from 'kysely';
import { conflict, notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { grantIn } from '../blobs/grant.ts';
import { blobBytesMax } from '../blobs/parts.ts';
import { blobReply, endingOf } from '../blobs/read.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../blobs/write.ts';
import { ended, otherHash } from './create.ts';
import { settle } from './settle.ts';
import { readStateVersion, type StateVersionRow } from './store.ts';
import { type StateSummary, SummaryReader } from './summary.ts';
import { verbs } from './view.ts';

const path = '/api/v2/state-files/:grant';

/** The files of state versions, at addresses that are secrets themselves. */
export const stateFileRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path,
    summary: 'The file of a state version',
    open: true,
    async run({ parameters }) {
      const { verb, id } = grantIn(parts, parameters['grant'] ?? '', [verbs.getState, verbs.getJson]);
      const row = await readStateVersion(parts.store.db, id);
      if (row.status !== 'finalized') throw notFound();
      if (verb === verbs.getState) return blobReply(parts.store, row.state_blob_id);
      return blobReply(parts.store, row.json_blob_id);
    },
  },
  {
    method: 'PUT',
    path,
    summary: 'Takes the file of a state version',
    open: true,
    streamBytesMax: blobBytesMax,
    async run(call) {
      const { verb, id } = grantIn(parts, call.parameters['grant'] ?? '', [verbs.putState, verbs.putJson]);
      const row = await readStateVersion(parts.store.db, id);
      if (row.status !== 'pending' && row.status !== 'finalized') throw superseded();
      await (verb === verbs.putState ? putState(parts, call, row) : putJson(parts, call, row));
      return received;
    },
  },
];

const received: ApiReply = { status: 200 };

const superseded = () => conflict('The state version no longer waits for a file');

async function putState(parts: WorkspaceParts, call: ApiCall, row: StateVersionRow): Promise<void> {
  const { store } = parts;
  const reader = new SummaryReader();
  const owner = { workspaceId: row.workspace_id, kind: 'state' };
  const blob = await writeBlob(store, owner, call.stream, (piece) => reader.take(piece));
  const summary = await ended(reader, () => dropBlob(store, blob.id));
  await keepOrDrop(parts, blob, () => takeState(parts, row, blob, summary));
}

async function putJson(parts: WorkspaceParts, call: ApiCall, row: StateVersionRow): Promise<void> {
  const blob = await writeBlob(parts.store, { workspaceId: row.workspace_id, kind: 'json-state' }, call.stream);
  await keepOrDrop(parts, blob, () => takeJson(parts, row, blob));
}

/** A file that nothing refers to in the end goes, be it that another one was quicker. */
async function keepOrDrop({ store }: WorkspaceParts, { id }: StoredBlob, take: () => Promise<boolean>): Promise<void> {
  let kept = false;
  try {
    kept = await take();
  } finally {
    if (!kept) await dropBlob(store, id);
  }
}

/** Of two clients that send at once the first one wins; the other one is content if it sent the same. */
function takeState(
  { store }: WorkspaceParts,
  { id, workspace_id }: StateVersionRow,
  blob: StoredBlob,
  summary: StateSummary,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    await holdWorkspace(tx, workspace_id);
    const row = await readStateVersion(tx, id);
    if (row.status === 'pending') {
      if (row.md5 !== null && row.md5 !== blob.md5) throw otherHash();
      await settle(tx, store, row, { blob, summary });
      return true;
    }
    if (row.status !== 'finalized') throw superseded();
    const { sha256 } = await endingOf({ ...store, db: tx }, row.state_blob_id);
    if (sha256 !== blob.sha256) throw conflict('The state version has another file already');
    return false;
  });
}

function takeJson(
  { store }: WorkspaceParts,
  { id, workspace_id }: StateVersionRow,
  blob: StoredBlob,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    await holdWorkspace(tx, workspace_id);
    const row = await readStateVersion(tx, id);
    if (row.json_blob_id !== null) {
      const { sha256 } = await endingOf({ ...store, db: tx }, row.json_blob_id);
      if (sha256 !== blob.sha256) throw conflict('The state version has another file already');
      return false;
    }
    await attachBlob(tx, store, blob);
    await sql`update ws_state_versions set json_blob_id = ${blob.id} where id = ${id}`.execute(tx);
    return true;
  });
}
