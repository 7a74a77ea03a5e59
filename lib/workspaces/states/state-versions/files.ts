import { sql, type Transaction } from 'kysely';
import { conflict, notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { Database } from '../../../store/tables.ts';
import type { Bearer } from '../../access/bearer.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { countedByGrant, grantIn, grantSecret } from '../blobs/grant.ts';
import { blobBytesMax } from '../blobs/parts.ts';
import { blobReply, endingOf } from '../blobs/read.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../blobs/write.ts';
import { ended, otherHash } from './create.ts';
import { settle } from './settle.ts';
import { readStateVersion, type StateVersionRow } from './store.ts';
import { type StateSummary, SummaryReader } from './summary.ts';
import { verbs } from './view.ts';
import { mustBeUnderItsLock, writerNow } from './writer.ts';

const path = '/api/v2/state-files/:grant';

/** The files of state versions, at addresses that are secrets themselves. */
export const stateFileRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path,
    summary: 'The file of a state version',
    open: true,
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
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
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    streamBytesMax: blobBytesMax,
    async run(call) {
      const { verb, id, bearer } = grantIn(parts, call.parameters['grant'] ?? '', [verbs.putState, verbs.putJson]);
      const row = await readStateVersion(parts.store.db, id);
      await mayTake(parts, row, bearer);
      await (verb === verbs.putState ? putState : putJson)(parts, call, { row, bearer });
      return received;
    },
  },
];

const received: ApiReply = { status: 200 };

/** Before any byte is read; what is true then is asked again when the file is here. */
async function mayTake({ store }: WorkspaceParts, row: StateVersionRow, bearer: Bearer | undefined): Promise<void> {
  const writer = await writerNow(store, row, bearer);
  if (row.status === 'pending') await mustBeUnderItsLock(store, writer, row);
  else if (row.status !== 'finalized') throw superseded();
}

/** A version that is to take a file, and as whom the sender acts. */
interface Taking {
  readonly row: StateVersionRow;
  readonly bearer: Bearer | undefined;
}

const superseded = () => conflict('The state version no longer waits for a file');

async function putState(parts: WorkspaceParts, call: ApiCall, taking: Taking): Promise<void> {
  const { store } = parts;
  const reader = new SummaryReader();
  const owner = { workspaceId: taking.row.workspace_id, kind: 'state' };
  const blob = await writeBlob(store, owner, call.stream, (piece) => reader.take(piece));
  const summary = await ended(reader, () => dropBlob(store, blob.id));
  await keepOrDrop(parts, blob, () => takeState(parts, taking, blob, summary));
}

async function putJson(parts: WorkspaceParts, call: ApiCall, taking: Taking): Promise<void> {
  const owner = { workspaceId: taking.row.workspace_id, kind: 'json-state' };
  const blob = await writeBlob(parts.store, owner, call.stream);
  await keepOrDrop(parts, blob, () => takeJson(parts, taking, blob));
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

/** The version as no one changes it until the transaction ends: of a lock that ends meanwhile one side sees the other. */
async function hold(tx: Transaction<Database>, { row: { id, workspace_id }, bearer }: Taking) {
  await holdWorkspace(tx, workspace_id);
  const row = await readStateVersion(tx, id);
  const mustBeAllowed = async () => mustBeUnderItsLock({ db: tx }, await writerNow({ db: tx }, row, bearer), row);
  return { row, mustBeAllowed };
}
