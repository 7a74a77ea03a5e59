import { sql, type Transaction } from 'kysely';
import { conflict, unprocessable } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { queueableNow, queuePlans, timeOfStatement } from '../run-lifecycle/transition.ts';
import { endingOf } from '../state-blobs/read.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../state-blobs/write.ts';
import { keepReadme, readmeSearch } from './readme.ts';
import { type ConfigurationVersionRow, readConfigurationVersion } from './store.ts';

/** A configuration version waiting for its archive. */
export interface Receiving {
  readonly row: ConfigurationVersionRow;
  /** Checks the right of the sender, before the archive is taken and again when it is kept. @throws ApiError 404 */
  readonly allowed: (store: Pick<Store, 'db'>) => Promise<void>;
  /** What follows in the transaction that keeps the archive. */
  readonly kept: (tx: Transaction<Database>, row: ConfigurationVersionRow) => Promise<void>;
}

/**
 * Stores the archive of a configuration version while it arrives, and queues the runs that wait for it.
 *
 * @throws ApiError 404, 409 when the version no longer waits for it, 422 for anything but a gzipped archive
 */
export async function receiveArchive(store: Store, stream: AsyncIterable<Buffer>, receiving: Receiving): Promise<void> {
  const { row } = receiving;
  await receiving.allowed(store);
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
    kept = await store.transaction((tx) => keep(tx, store, receiving, { blob, readme }));
  } finally {
    if (!kept) await dropBlob(store, blob.id);
  }
}

const noLongerWaits = () => conflict('The configuration version no longer waits for an archive');

/** When two clients upload at the same time the first wins; the second succeeds only if it sent the same archive. */
async function keep(
  tx: Transaction<Database>,
  store: Store,
  receiving: Receiving,
  { blob, readme }: { readonly blob: StoredBlob; readonly readme: Buffer | undefined },
): Promise<boolean> {
  const { id } = receiving.row;
  await holdWorkspace(tx, receiving.row.workspace_id);
  const row = await readConfigurationVersion(tx, id);
  if (row.status === 'uploaded') {
    const { sha256 } = await endingOf({ ...store, db: tx }, row.blob_id);
    if (sha256 !== blob.sha256) throw conflict('The configuration version has another archive already');
    return false;
  }
  if (row.status !== 'pending') throw noLongerWaits();
  await receiving.allowed({ db: tx });
  await attachBlob(tx, store, blob);
  if (readme !== undefined) await keepReadme(tx, store, id, readme);
  await sql`
    update ws_configuration_versions set status = 'uploaded', blob_id = ${blob.id}, error_message = null,
           timestamps = timestamps || jsonb_build_object('uploaded-at', ${timeOfStatement})
     where id = ${id}`.execute(tx);
  await sql`
    update ws_runs set timestamps = timestamps || ${queueableNow} where configuration_version_id = ${id} and status = 'pending'`.execute(
    tx,
  );
  await queuePlans(tx, row.workspace_id);
  await receiving.kept(tx, row);
  return true;
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
