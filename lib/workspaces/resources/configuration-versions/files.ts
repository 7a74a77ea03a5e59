import { sql, type Transaction } from 'kysely';
import { ApiError, conflict, unprocessable } from '#path/jsonapi/error.ts';
import { bytesBody } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type Bearer, callerNow, makerOf } from '../../access/bearer.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { findFor } from '../../access/needs/needs.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { queueableNow, queuePlans, timeOfStatement } from '../run-lifecycle/transition.ts';
import { countedByGrant, grantIn, grantSecret } from '../state-blobs/grant.ts';
import { blobBytesMax } from '../state-blobs/parts.ts';
import { endingOf } from '../state-blobs/read.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../state-blobs/write.ts';
import { keepReadme, readmeSearch } from './readme.ts';
import { type ConfigurationVersionRow, readConfigurationVersion } from './store.ts';
import { putConfiguration } from './view.ts';

/** Receives the archive of a configuration version. The address itself is the secret. */
export const configurationFileRow = (parts: WorkspaceParts): ApiRow =>
  operation({
    method: 'PUT',
    path: '/api/v2/configuration-files/:grant',
    summary: 'Upload the archive of a configuration version',
    needs: { open: 'signed-address' },
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    streamBytesMax: blobBytesMax,
    body: bytesBody,
    replies: { 200: null, 409: 'The configuration version already has another archive' },
    async run({ parameters, stream }) {
      const { id, bearer } = grantIn(parts, parameters.grant, [putConfiguration]);
      await take(parts, stream, { row: await readConfigurationVersion(parts.store.db, id), bearer });
      return received;
    },
  });

const received: ApiReply = { status: 200 };

/** A configuration version waiting for its archive, and the identity of the sender. */
interface Taking {
  readonly row: ConfigurationVersionRow;
  readonly bearer: Bearer | undefined;
}

async function take(parts: WorkspaceParts, stream: AsyncIterable<Buffer>, taking: Taking): Promise<void> {
  const { store } = parts;
  const { row } = taking;
  await mustStillPlan(store, taking);
  if (row.status !== 'pending' && row.status !== 'uploaded') throw noLongerWaits();
  const start = new GzipStart();
  const search = await readmeSearch(store, row.workspace_id);
  const owner = { workspaceId: row.workspace_id, kind: 'configuration' };
  const look = (piece: Buffer) => {
    start.look(piece);
    return search.look(piece);
  };
  const blob = await writeBlob(store, owner, stream, look).catch((error: unknown) => {
    search.abandon();
    throw error;
  });
  let kept = false;
  try {
    start.mustBeWhole();
    const readme = await search.end();
    kept = await store.transaction((tx) => keep(tx, parts, taking, { blob, readme }));
  } finally {
    if (!kept) await dropBlob(store, blob.id);
  }
}

const noLongerWaits = () => conflict('The configuration version no longer waits for an archive');

/** When two clients upload at the same time the first wins; the second succeeds only if it sent the same archive. */
async function keep(
  tx: Transaction<Database>,
  { store }: WorkspaceParts,
  taking: Taking,
  { blob, readme }: { readonly blob: StoredBlob; readonly readme: Buffer | undefined },
): Promise<boolean> {
  const { id } = taking.row;
  await holdWorkspace(tx, taking.row.workspace_id);
  const row = await readConfigurationVersion(tx, id);
  if (row.status === 'uploaded') {
    const { sha256 } = await endingOf({ ...store, db: tx }, row.blob_id);
    if (sha256 !== blob.sha256) throw conflict('The configuration version has another archive already');
    return false;
  }
  if (row.status !== 'pending') throw noLongerWaits();
  await mustStillPlan({ db: tx }, taking);
  await attachBlob(tx, store, blob);
  if (readme !== undefined) await keepReadme(tx, store, id, readme);
  await sql`
    update ws_configuration_versions set status = 'uploaded', blob_id = ${blob.id},
           timestamps = timestamps || jsonb_build_object('uploaded-at', ${timeOfStatement})
     where id = ${id}`.execute(tx);
  await sql`
    update ws_runs set timestamps = timestamps || ${queueableNow} where configuration_version_id = ${id} and status = 'pending'`.execute(
    tx,
  );
  await queuePlans(tx, row.workspace_id);
  if (!row.speculative && row.auto_queue_runs) await queueRun(tx, store, row);
  return true;
}

/** The creator of a version may upload its archive while it has the right to plan. @throws ApiError 404 */
async function mustStillPlan(store: Pick<Store, 'db'>, { row, bearer }: Taking): Promise<void> {
  const caller = await callerNow(store, bearer ?? makerOf(row));
  await findFor(store, { workspace: 'plan' }, { caller, parameters: {}, named: { workspace_id: row.workspace_id } });
}

/** A workspace that cannot queue runs still keeps the archive. */
async function queueRun(
  tx: Transaction<Database>,
  store: WorkspaceParts['store'],
  { id, workspace_id, created_by_kind, created_by }: ConfigurationVersionRow,
): Promise<void> {
  await insertRun(tx, store, {
    workspaceId: workspace_id,
    configurationVersionId: id,
    planOnly: false,
    settings: {},
    actor: { kind: created_by_kind ?? 'user', id: created_by ?? '' },
    message: 'Queued when the configuration was uploaded',
    source: 'tfe-configuration-version',
    // An upload by a caller with only the right to plan must not lead to an apply.
    autoApply: false,
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/** Checks that a file starts with the gzip magic number (RFC 1952, 2.3.1). */
class GzipStart {
  #seen = Buffer.alloc(0);

  look(piece: Buffer): void {
    if (this.#seen.length < magic.length) this.#seen = Buffer.concat([this.#seen, piece.subarray(0, magic.length)]);
    if (!this.#seen.subarray(0, magic.length).equals(magic.subarray(0, this.#seen.length))) throw noArchive();
  }

  mustBeWhole(): void {
    if (this.#seen.length < magic.length) throw noArchive();
  }
}

const magic = Buffer.from([0x1f, 0x8b]);

const noArchive = () => unprocessable('the configuration must be a tar archive compressed with gzip');
