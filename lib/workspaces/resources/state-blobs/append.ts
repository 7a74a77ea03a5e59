import { sql, type Transaction } from 'kysely';
import { ApiError, conflict } from '#path/jsonapi/error.ts';
import { bytea } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { newId } from '../../frame/ids.ts';
import { chunkBytes, chunkName, type Ending, endingName, storedEnding } from './parts.ts';

type Tx = Transaction<Database>;
type Barrier = Pick<Store, 'barrier'>;

/** Size limit of a file that grows. */
export const growingBytesMax = 64 * 1024 * 1024;

/** Creates an empty file to append to. It has no hashes, since it grows. */
export async function growingBlob(
  tx: Tx,
  { barrier }: Barrier,
  owner: { readonly workspaceId: string; readonly kind: string },
): Promise<string> {
  const id = newId('blob');
  const ending = barrier.seal(JSON.stringify(empty), endingName(id));
  await sql`
    insert into ws_blobs (id, workspace_id, kind, whole, ending)
    values (${id}, ${owner.workspaceId}, ${owner.kind}, true, ${ending})`.execute(tx);
  return id;
}

const empty: Ending = { chunks: 0, bytes: 0, md5: '', sha256: '' };

/**
 * Appends bytes at an offset, and returns the new size. Bytes that are there already are skipped, so that a sender that lost the reply may repeat
 * the request. Without an offset they go to the end, or nowhere when the file is full.
 *
 * @throws ApiError 409 when bytes between the end of the file and the offset are missing, 413 when it becomes too large
 */
export async function appendBlob(
  tx: Tx,
  store: Barrier,
  { id, offset, bytes }: { readonly id: string; readonly offset?: number; readonly bytes: Buffer },
): Promise<number> {
  const ending = await heldEnding(tx, store, id);
  const from = offset ?? ending.bytes;
  if (from > ending.bytes) throw conflict(`The file has ${ending.bytes} bytes: send it from there`);
  const fresh = bytes.subarray(ending.bytes - from);
  const size = ending.bytes + fresh.length;
  if (size > growingBytesMax && offset === undefined) return ending.bytes;
  if (size > growingBytesMax)
    throw new ApiError(413, { title: 'too large', detail: `a log has at most ${growingBytesMax} bytes` });
  if (fresh.length === 0) return ending.bytes;
  const first = Math.floor(ending.bytes / chunkBytes);
  const held = ending.bytes % chunkBytes === 0 ? Buffer.alloc(0) : await chunkOf(tx, store, id, first);
  const rest = Buffer.concat([held, fresh]);
  const chunks = Math.ceil(rest.length / chunkBytes);
  for (let at = 0; at < chunks; at += 1)
    await putChunk(tx, store, {
      id,
      position: first + at,
      bytes: rest.subarray(at * chunkBytes, (at + 1) * chunkBytes),
    });
  const next: Ending = { ...empty, bytes: size, chunks: first + chunks };
  await sql`
    update ws_blobs set ending = ${store.barrier.seal(JSON.stringify(next), endingName(id))}, touched_at = now()
     where id = ${id}`.execute(tx);
  return size;
}

/** The size of such a file. */
export async function sizeOf(tx: Tx, store: Barrier, id: string): Promise<number> {
  return (await heldEnding(tx, store, id)).bytes;
}

/** Locks the file until the transaction ends: appending takes turns. */
async function heldEnding(tx: Tx, { barrier }: Barrier, id: string): Promise<Ending> {
  const { rows } = await rowsOf({ ending: bytea })`
    select ending from ws_blobs where id = ${id} and whole for no key update`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw conflict('The file was deleted');
  return storedEnding.parse(JSON.parse(barrier.open(row.ending, endingName(id)).toString()));
}

async function chunkOf(tx: Tx, { barrier }: Barrier, id: string, position: number): Promise<Buffer> {
  const { rows } = await rowsOf({ data: bytea })`
    select data from ws_blob_chunks where blob_id = ${id} and position = ${position}`.execute(tx);
  return rows[0] === undefined ? Buffer.alloc(0) : barrier.open(rows[0].data, chunkName(id, position));
}

async function putChunk(
  tx: Tx,
  { barrier }: Barrier,
  { id, position, bytes }: { readonly id: string; readonly position: number; readonly bytes: Buffer },
): Promise<void> {
  await sql`
    insert into ws_blob_chunks (blob_id, position, data)
    values (${id}, ${position}, ${barrier.seal(bytes, chunkName(id, position))})
    on conflict (blob_id, position) do update set data = excluded.data`.execute(tx);
}
