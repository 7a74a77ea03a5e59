import { sql, type Transaction } from 'kysely';
import { conflict, notFound } from '#path/jsonapi/error.ts';
import { bytesBody } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Database } from '#store/tables.ts';
import type { Bearer } from '../../access/bearer.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { countedByGrant, grantIn, grantSecret } from '../state-blobs/grant.ts';
import { blobBytesMax } from '../state-blobs/parts.ts';
import { blobReply, endingOf } from '../state-blobs/read.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../state-blobs/write.ts';
import { ended, otherHash } from '../state-versions/create.ts';
import { settle } from '../state-versions/settle.ts';
import { readStateVersion, type StateVersionRow } from '../state-versions/store.ts';
import { type StateSummary, SummaryReader } from '../state-versions/summary.ts';
import { verbs } from '../state-versions/view.ts';
import { mustBeUnderItsLock, writerNow } from './writer.ts';

const path = '/api/v2/state-files/:grant';

/** The files of state versions. Their addresses are secrets. */
export const stateFileRows = (parts: WorkspaceParts): readonly ApiRow[] => {
  const signed = {
    path,
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    needs: { open: 'signed-address' },
  } as const;
  return [
    operation({
      ...signed,
      method: 'GET',
      summary: 'Download the file of a state version',
      replies: { 200: { mediaType: 'application/octet-stream' } },
      run: async ({ parameters }) => {
        const { verb, id } = grantIn(parts, parameters.grant, [verbs.getState, verbs.getJson]);
        const row = await readStateVersion(parts.store.db, id);
        if (row.status !== 'finalized') throw notFound();
        if (verb === verbs.getState) return blobReply(parts.store, row.state_blob_id);
        return blobReply(parts.store, row.json_blob_id);
      },
    }),
    operation({
      ...signed,
      method: 'PUT',
      summary: 'Upload the file of a state version',
      streamBytesMax: blobBytesMax,
      body: bytesBody,
      replies: {
        200: null,
        409: 'The lock has ended, or the state version has another file',
        412: 'The file has another MD5 hash than the state version names',
        413: 'The file is too large',
        422: 'The file is not a state',
      },
      run: async ({ parameters, stream }) => {
        const { verb, id, bearer } = grantIn(parts, parameters.grant, [verbs.putState, verbs.putJson]);
        const row = await readStateVersion(parts.store.db, id);
        await mayTake(parts, row, bearer);
        await (verb === verbs.putState ? putState : putJson)(parts, stream, { row, bearer });
        return received;
      },
    }),
  ];
};

const received: ApiReply = { status: 200 };

/** Checked before any byte is read, and again when the file is complete. */
async function mayTake({ store }: WorkspaceParts, row: StateVersionRow, bearer: Bearer | undefined): Promise<void> {
  const writer = await writerNow(store, row, bearer);
  if (row.status === 'pending') await mustBeUnderItsLock(store, writer, row);
  else if (row.status !== 'finalized') throw superseded();
}

/** A state version waiting for a file, and the identity of the sender. */
interface Taking {
  readonly row: StateVersionRow;
  readonly bearer: Bearer | undefined;
}

const superseded = () => conflict('The state version no longer waits for a file');

async function putState(parts: WorkspaceParts, stream: AsyncIterable<Buffer>, taking: Taking): Promise<void> {
  const { store } = parts;
  const reader = new SummaryReader();
  const owner = { workspaceId: taking.row.workspace_id, kind: 'state' };
  const blob = await writeBlob(store, owner, stream, (piece) => reader.take(piece));
  const summary = await ended(reader, () => dropBlob(store, blob.id));
  await keepOrDrop(parts, blob, () => takeState(parts, taking, blob, summary));
}

async function putJson(parts: WorkspaceParts, stream: AsyncIterable<Buffer>, taking: Taking): Promise<void> {
  const owner = { workspaceId: taking.row.workspace_id, kind: 'json-state' };
  const blob = await writeBlob(parts.store, owner, stream);
  await keepOrDrop(parts, blob, () => takeJson(parts, taking, blob));
}

/** Deletes the file unless `keep` has added a reference to it, for example because another upload was faster. */
async function keepOrDrop({ store }: WorkspaceParts, { id }: StoredBlob, take: () => Promise<boolean>): Promise<void> {
  let kept = false;
  try {
    kept = await take();
  } finally {
    if (!kept) await dropBlob(store, id);
  }
}

/** When two clients upload at the same time the first wins; the second succeeds only if it sent the same file. */
function takeState(
  { store }: WorkspaceParts,
  taking: Taking,
  blob: StoredBlob,
  summary: StateSummary,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { row, mustBeAllowed } = await hold(tx, taking);
    if (row.status === 'pending') {
      await mustBeAllowed();
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

function takeJson({ store }: WorkspaceParts, taking: Taking, blob: StoredBlob): Promise<boolean> {
  return store.transaction(async (tx) => {
    const { row, mustBeAllowed } = await hold(tx, taking);
    if (row.status !== 'pending' && row.status !== 'finalized') throw superseded();
    if (row.json_blob_id !== null) {
      const { sha256 } = await endingOf({ ...store, db: tx }, row.json_blob_id);
      if (sha256 !== blob.sha256) throw conflict('The state version has another file already');
      return false;
    }
    await mustBeAllowed();
    await attachBlob(tx, store, blob);
    await sql`update ws_state_versions set json_blob_id = ${blob.id} where id = ${row.id}`.execute(tx);
    return true;
  });
}

/** Locks the version until the transaction ends, so that an upload and the release of the workspace lock see each other. */
async function hold(tx: Transaction<Database>, { row: { id, workspace_id }, bearer }: Taking) {
  await holdWorkspace(tx, workspace_id);
  const row = await readStateVersion(tx, id);
  const mustBeAllowed = async () => mustBeUnderItsLock({ db: tx }, await writerNow({ db: tx }, row, bearer), row);
  return { row, mustBeAllowed };
}
